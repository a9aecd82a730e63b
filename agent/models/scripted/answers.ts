import type { ToolResultMessage } from "@earendil-works/pi-ai";

/** How much of one result an answer quotes, in characters: the first and the last of it. */
const QUOTED_HEAD = 3_000;
const QUOTED_TAIL = 1_000;

const FORMS = [
	"`bash: ls` runs a command and quotes its result",
	"`slow 40: some words` streams 40 numbered words, ten a second",
	"`flaky 2: some text` loses the connection twice, then answers",
	'`tools: [{"name": "read", "arguments": {"path": "README.md"}}]` makes any calls at once',
	"`think: some text` thinks first",
	"`overflow` finds the conversation too long until it is compacted",
	"`error: some text` fails for good",
	"`hang` says nothing until it is stopped",
];

/** The answer to everything that is none of the forms: what this model is, and what it can be asked. */
export function explain(about: {
	readonly problem?: string;
	readonly compacted: boolean;
	readonly images: number;
}): string {
	const paragraphs = [
		"I am the scripted model that comes with Outlive. I need no account and no network, and I understand " +
			"nothing: I follow fixed rules, so that Outlive can be tried and tested anywhere.",
	];
	if (about.problem !== undefined) paragraphs.unshift(`I can't follow that: ${about.problem}.`);
	if (about.compacted) paragraphs.push("What was said before this point was compacted.");
	if (about.images > 0)
		paragraphs.push(
			about.images === 1
				? "I can't look at the image you sent."
				: `I can't look at the ${about.images} images you sent.`,
		);
	paragraphs.push(
		`A message of one of these forms makes me do something:\n\n${FORMS.map((form) => `- ${form}`).join("\n")}`,
		"For real work choose another model.",
	);
	return paragraphs.join("\n\n");
}

/** The answer after a round of calls: every result, quoted. */
export function quoteResults(results: readonly ToolResultMessage[]): string {
	return results.map(quoteResult).join("\n\n");
}

function quoteResult(result: ToolResultMessage): string {
	const said = result.content
		.map((block) => (block.type === "text" ? block.text : `[an image, ${block.mimeType}]`))
		.join("\n");
	const verb = result.isError ? "failed" : "answered";
	if (said.trim() === "") return `\`${result.toolName}\` ${verb} without a word.`;
	const quoted = shortened(said.replace(/\n+$/, ""));
	const fence = fenceFor(quoted);
	return `\`${result.toolName}\` ${verb}:\n\n${fence}\n${quoted}\n${fence}`;
}

function shortened(text: string): string {
	const characters = Array.from(text);
	const left = characters.length - QUOTED_HEAD - QUOTED_TAIL;
	if (left <= 0) return text;
	const head = characters.slice(0, QUOTED_HEAD).join("");
	const tail = characters.slice(-QUOTED_TAIL).join("");
	return `${head}\n[${left} characters are not quoted]\n${tail}`;
}

/** A Markdown fence that nothing in the text can close. */
function fenceFor(text: string): string {
	const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
	return "`".repeat(Math.max(3, longest + 1));
}

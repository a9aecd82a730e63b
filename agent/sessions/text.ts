import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { EntryRecord, UserInput } from "../durable/index.ts";

const MAX_PREVIEW = 200;
/** Text past this many UTF-16 units can't be part of what is cut out of it. */
const ENOUGH = 4_096;

/** Made when it is first needed: making one takes several ms, and few texts ask for it. */
let segmenter: Intl.Segmenter | undefined;

/** Control characters, and the ones that turn the direction of what follows: they could disguise a line of a list. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** The words of a message, without its images. */
export function textOf(content: UserInput): string {
	if (typeof content === "string") return content;
	return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** The text on one line: white space as single blanks, no control characters, no broken surrogates. */
export function oneLine(text: string): string {
	return text.slice(0, ENOUGH).toWellFormed().replace(/\s+/g, " ").replace(UNSEEN, "").trim();
}

/** At most `limit` characters, cut after a word where one ends in the last third, with an ellipsis as the last one. */
export function cutAtWord(text: string, limit: number): string {
	if (text.length <= limit) return text;
	const characters = firstCharacters(text, limit + 1);
	if (characters.length <= limit) return text;
	const kept = characters.slice(0, limit - 1);
	const blank = characters[limit - 1] === " " ? kept.length : kept.lastIndexOf(" ");
	const end = blank >= (limit * 2) / 3 ? blank : kept.length;
	return `${kept
		.slice(0, end)
		.join("")
		.replace(/[\s,;:.–-]+$/, "")}…`;
}

/** As a person counts them: what belongs together, such as a letter and its accent, is one. */
function firstCharacters(text: string, count: number): readonly string[] {
	// In plain ASCII without a line end each is one character, up to the last, which an accent may follow.
	const plain = /^[ -~]*/.exec(text.slice(0, count + 1))![0];
	if (plain.length > count) return plain.slice(0, count).split("");
	segmenter ??= new Intl.Segmenter();
	const characters: string[] = [];
	for (const { segment } of segmenter.segment(text)) {
		characters.push(segment);
		if (characters.length === count) break;
	}
	return characters;
}

/** The beginning of what a model's response says, on one line of at most 200 characters; empty without words. */
export function previewOf(entry: EntryRecord): string {
	const message = entry.model?.[0] as AssistantMessage | undefined;
	if (message?.role !== "assistant") return "";
	const said = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
	return cutAtWord(oneLine(said), MAX_PREVIEW);
}

import type { JsonValue } from "@earendil-works/pi-ai";

/** A call as a person writes it after `tools:`. */
export type WrittenCall = { readonly name: string; readonly arguments: JsonValue };

/** What a user message asks the scripted model to do. */
export type Instruction =
	| { readonly form: "bash"; readonly command: string }
	| { readonly form: "slow"; readonly words: number; readonly text: string }
	| { readonly form: "flaky"; readonly failures: number; readonly text: string }
	| { readonly form: "tools"; readonly calls: readonly WrittenCall[] }
	| { readonly form: "think"; readonly text: string }
	| { readonly form: "error"; readonly message: string }
	| { readonly form: "overflow" }
	| { readonly form: "hang" }
	/** One of the forms was meant, but it can't be followed as it is written. */
	| { readonly form: "unclear"; readonly problem: string }
	| { readonly form: "other" };

const MAX_WORDS = 100_000;
const MAX_FAILURES = 100;

/** Reads the text of a user message; never throws. */
export function readInstruction(message: string): Instruction {
	const written = message.trim();
	if (written === "overflow") return { form: "overflow" };
	if (written === "hang") return { form: "hang" };
	const match = /^(bash|slow|flaky|tools|think|error)(?:[ \t]+(\S+?))?[ \t]*:(.*)$/s.exec(written);
	if (match === null) return { form: "other" };
	const [, form, count, rest = ""] = match;
	const text = rest.trim();
	const counted = form === "slow" || form === "flaky";
	// "think hard: …" is ordinary talk; only the counted forms have something between the word and the colon.
	if (!counted && count !== undefined) return { form: "other" };
	switch (form) {
		case "bash":
			return text === "" ? unclear("no command after `bash:`") : { form, command: text };
		case "slow":
			return readCounted(form, count, MAX_WORDS, 1, (words) => ({ form, words, text }));
		case "flaky":
			return readCounted(form, count, MAX_FAILURES, 0, (failures) => ({ form, failures, text }));
		case "tools":
			return readCalls(text);
		case "think":
			return { form, text };
		default:
			return { form: "error", message: text === "" ? "The scripted model was asked to fail." : text };
	}
}

function readCounted(
	form: string,
	count: string | undefined,
	max: number,
	min: number,
	instruction: (count: number) => Instruction,
): Instruction {
	const number = count !== undefined && /^\d{1,7}$/.test(count) ? Number(count) : undefined;
	if (number === undefined || number < min || number > max)
		return unclear(`\`${form}\` needs a whole number from ${min} to ${max} before its colon`);
	return instruction(number);
}

function readCalls(text: string): Instruction {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (error) {
		// The parser's sentence names the place, which is what the writer needs.
		return unclear(`what follows \`tools:\` is not JSON (${error instanceof Error ? error.message : error})`);
	}
	if (!Array.isArray(value) || value.length === 0)
		return unclear("what follows `tools:` must be a JSON array with at least one call");
	const calls: WrittenCall[] = [];
	for (const [index, call] of value.entries()) {
		if (typeof call?.name !== "string" || call.name === "")
			return unclear(`call ${index + 1} after \`tools:\` has no "name"`);
		calls.push({ name: call.name, arguments: call.arguments ?? {} });
	}
	return { form: "tools", calls };
}

function unclear(problem: string): Instruction {
	return { form: "unclear", problem };
}

import type { Message } from "@earendil-works/pi-ai";
import type { EntryRecord } from "../types/entries.ts";
import type { JsonValue } from "../types/json.ts";

/** UTF-16 units of an entry that are searched. Of a longer text the beginning and the end count. */
const MAX_LENGTH = 32_768;

/**
 * What a search looks at in an entry: what a person and a model said to each other, the values that tools were called
 * with and their results as the model saw them, and summaries. Not thinking, prompts or the names of arguments.
 */
export function searchableText(entry: EntryRecord): string {
	const parts: string[] = [];
	for (const message of entry.model ?? []) addMessage(message, parts);
	return bounded(parts.join("\n"));
}

function addMessage(message: Message, parts: string[]): void {
	if (message.role === "system") return;
	if (typeof message.content === "string") {
		parts.push(message.content);
		return;
	}
	// A program may store messages that were never checked; a commit must not fail on one.
	if (!Array.isArray(message.content)) return;
	for (const block of message.content)
		if (block.type === "text") parts.push(block.text);
		else if (block.type === "toolCall") addValues(block.arguments as JsonValue, parts);
}

function addValues(value: JsonValue | undefined, parts: string[]): void {
	if (typeof value === "string" || typeof value === "number") parts.push(String(value));
	else if (typeof value === "object" && value !== null)
		for (const inner of Object.values(value)) addValues(inner, parts);
}

function bounded(text: string): string {
	if (text.length <= MAX_LENGTH) return text;
	return `${text.slice(0, MAX_LENGTH / 2)}\n${text.slice(-MAX_LENGTH / 2)}`;
}

/**
 * A text as it is compared: letters in lower case, unit for unit as long as the text. SQLite ends a text at NUL and
 * has no lone surrogates, so these become characters it has.
 */
export function fold(text: string): string {
	const whole = text.replaceAll("\0", " ").toWellFormed();
	const lower = whole.toLowerCase();
	return (lower.length === whole.length ? lower : eachLower(whole)).replaceAll("ς", "σ");
}

/** Few characters grow when they become lower case ("İ"); those stay as they are. */
function eachLower(text: string): string {
	let folded = "";
	for (const character of text) {
		const lower = character.toLowerCase();
		folded += lower.length === character.length ? lower : character;
	}
	return folded;
}

import { basename } from "node:path";
import type { UserInput } from "../durable/index.ts";
import { cutAtWord, oneLine, textOf } from "./text.ts";

const FORK_OF = "Fork of ";
const MAX_AUTOMATIC = 60;
const MAX_WRITTEN = 200;
/** A title is looked for in this many UTF-16 units. */
const LOOKED_AT = 65_536;

/**
 * A title for a session from its first message: its first line with words in it, without Markdown's marks and fences,
 * at most 60 characters. Undefined when the message has no words.
 */
export function titleFromMessage(content: UserInput): string | undefined {
	for (const line of textOf(content)
		.slice(0, LOOKED_AT)
		.split(/\r\n|[\r\n\u2028\u2029]/)) {
		if (/^\s*(```|~~~)/.test(line)) continue;
		const words = oneLine(withoutMarks(line));
		if (/[\p{L}\p{N}]/u.test(words)) return cutAtWord(words, MAX_AUTOMATIC);
	}
	return undefined;
}

/** A fork's title tells that it is one, and what of; a fork of a fork says it once. */
export function titleOfFork(title: string): string {
	return cutAtWord(title.startsWith(FORK_OF) ? title : `${FORK_OF}${title}`, MAX_WRITTEN);
}

export function titleFromFolder(directory: string): string {
	return cutAtWord(oneLine(basename(directory)), MAX_WRITTEN) || directory;
}

/** A title that a person or a model wrote, on one line; undefined when it is blank. */
export function writtenTitle(title: string): string | undefined {
	return cutAtWord(oneLine(title), MAX_WRITTEN) || undefined;
}

/** Headings, quotes, list marks and checkboxes at the start; code and emphasis marks around words. */
function withoutMarks(line: string): string {
	let rest = line;
	for (let before = ""; before !== rest; ) {
		before = rest;
		rest = rest.replace(/^\s*(#{1,6}\s|>|[-*+•]\s|\d{1,3}[.)]\s|\[[ xX]\]\s)/, "");
	}
	return rest.replace(/`+|\*\*|__/g, "");
}

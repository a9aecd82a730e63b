import { stripVTControlCharacters } from "node:util";

/** Controls other than line feed and tab, of both sets, and what reorders text from right to left. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal.
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text of a model, a command or a folder's name as a terminal may show it: nothing in it can move the cursor, change
 * the title or hide what it says. Line feeds and tabs stay.
 */
export function printable(text: string): string {
	return stripVTControlCharacters(text).replaceAll("\r\n", "\n").replace(UNPRINTABLE, "");
}

/** The same on one line. */
export function printableLine(text: string): string {
	return printable(text).replace(/\s+/g, " ").trim();
}

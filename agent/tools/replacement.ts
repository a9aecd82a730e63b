/** A part of a text, by offsets, and what takes its place. */
export type Replacement = { readonly start: number; readonly end: number; readonly text: string };

/** `text` with all replacements made; they are in order and don't overlap. */
export function applyReplacements(text: string, replacements: readonly Replacement[]): string {
	let result = "";
	let done = 0;
	for (const { start, end, text: replacement } of replacements) {
		result += text.slice(done, start) + replacement;
		done = end;
	}
	return result + text.slice(done);
}

/** The number of the line at `offset`, from 1, counted as `read` counts. */
export function lineNumberAt(text: string, offset: number): number {
	let line = 1;
	for (const _ of text.slice(0, offset).matchAll(/\r\n|\n|\r(?!\n)/g)) line += 1;
	return line;
}

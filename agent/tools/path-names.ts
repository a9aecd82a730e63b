import { posix } from "node:path";
import type { FileSystem } from "../durable/env/file-system.ts";

/** A path as results show it: relative inside the session's folder, absolute elsewhere, quoted where it needs it. */
export function displayPath(fs: Pick<FileSystem, "cwd">, path: string): string {
	const relative = posix.relative(fs.cwd, path);
	const outside = relative === ".." || relative.startsWith("../");
	return quoteName(relative === "" ? "." : outside ? path : relative);
}

/** A name in one line: with line breaks or other control characters in it, as a JSON string. */
export function quoteName(name: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
	return /[\u0000-\u001f\u007f\u2028\u2029]/.test(name) ? JSON.stringify(name) : name;
}

/**
 * A name as it compares when two spellings of one name meet: composed and decomposed characters, the odd spaces of
 * macOS screenshot names, and typographic quotes fall together.
 */
export function foldName(name: string): string {
	return name
		.normalize("NFC")
		.replace(/[\u00a0\u2007\u202f]/g, " ")
		.replace(/[\u2018\u2019]/g, "'")
		.replace(/[\u201c\u201d]/g, '"');
}

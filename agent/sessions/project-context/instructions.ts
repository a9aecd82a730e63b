import { posix } from "node:path";
import type { Context } from "@earendil-works/chord";
import { FileError } from "../../durable/env/file-error.ts";
import type { FileSystem } from "../../durable/env/file-system.ts";
import type { FileText, ReadFileText } from "./file-text.ts";

/** The names under which a folder carries instructions for agents. */
export const NAMES = ["AGENTS.md", "CLAUDE.md"] as const;

/** How much of one file is shown, and of all files of one section together, in bytes. */
export const FILE_BYTES = 32 * 1024;
const SECTION_BYTES = 96 * 1024;

/**
 * The files' texts, each under its path, in the order given, which is the most general first. A file that says what an
 * earlier one says, or that is the same file under another name, is left out. When there is too much, the most special
 * files are kept.
 *
 * @param within the folder that a file must really lie in, wherever links lead; undefined: anywhere
 */
export async function renderFiles(
	fs: FileSystem,
	paths: readonly string[],
	within: string | undefined,
	read: ReadFileText,
	context: Context,
): Promise<string | undefined> {
	const parts: string[] = [];
	let left = SECTION_BYTES;
	const files = await distinctFiles(fs, paths, read, context);
	for (const { path, file } of files.reverse()) {
		const text = (await isWithin(fs, path, within, context))
			? shown(path, file, left)
			: note(path, "it leads outside the project and is not read");
		left -= Buffer.byteLength(text);
		parts.unshift(text);
	}
	return parts.length === 0 ? undefined : parts.join("\n\n");
}

type Found = { readonly path: string; readonly file: FileText };

async function distinctFiles(
	fs: FileSystem,
	paths: readonly string[],
	read: ReadFileText,
	context: Context,
): Promise<Found[]> {
	const seen = new Set<string>();
	const files: Found[] = [];
	for (const path of paths) {
		const file = await read(fs, path, context);
		if (file === undefined) continue;
		const says = file.kind === "text" ? file.text.trim() : undefined;
		if (says === "" || seen.has(file.identity) || (says !== undefined && seen.has(says))) continue;
		seen.add(file.identity);
		if (says !== undefined) seen.add(says);
		files.push({ path, file });
	}
	return files;
}

function shown(path: string, file: FileText, left: number): string {
	if (file.kind === "unreadable") return note(path, `it can't be read: ${file.reason}`);
	const text = file.text.trim();
	const bytes = Buffer.byteLength(text);
	if (bytes > left) return note(path, "it is left out, to keep this short; read it where it matters");
	if (file.isWhole) return `${path}:\n${text}`;
	return `${path}:\n${text}\n[Cut: the first ${FILE_BYTES} of ${file.size} bytes are shown. Read the file for the rest.]`;
}

function note(path: string, what: string): string {
	return `${path}:\n[${what}]`;
}

/** A repository from a stranger may carry a link to a secret under the name of a file that is always read. */
async function isWithin(
	fs: FileSystem,
	path: string,
	within: string | undefined,
	context: Context,
): Promise<boolean> {
	if (within === undefined) return true;
	try {
		// The folder's own path has no links in it, so only the file can be one.
		if ((await fs.lstat(path, context))?.kind !== "symlink") return true;
		const outer = await fs.canonical(within, context);
		const file = await fs.canonical(path, context);
		return file.startsWith(outer.endsWith("/") ? outer : `${outer}/`);
	} catch (error) {
		// Gone or changed since it was looked at; the next request looks again.
		if (error instanceof FileError) return false;
		throw error;
	}
}

export function namesIn(folder: string): string[] {
	return NAMES.map((name) => posix.join(folder, name));
}

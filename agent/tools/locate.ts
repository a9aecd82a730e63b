import { posix } from "node:path";
import type { Context } from "@earendil-works/chord";
import { FileError } from "../durable/env/file-error.ts";
import type { FileStat, FileSystem } from "../durable/env/file-system.ts";
import { folderEntries } from "./folder-entries.ts";
import { foldName } from "./path-names.ts";

/** A path as a tool works with it: symbolic links resolved, so that every check is made of the real file. */
export type Located = {
	readonly path: string;
	/** Undefined when nothing is there. */
	readonly stat: FileStat | undefined;
};

/** Enough for any folder that a name is looked for in. */
const mostEntries = 100_000;

/**
 * Finds what a model means by a path. Every character may be part of a name, so the path is tried as it is first, then
 * in spellings that models get wrong, then folder by folder with names compared loosely (`foldName`). A path that
 * isn't found keeps the spelling it came with below the last folder that is.
 */
export async function locate(fs: FileSystem, path: string, context: Context): Promise<Located> {
	for (const spelling of spellings(path)) {
		const at = fs.resolve(spelling);
		const stat = await fs.stat(at, context);
		if (stat !== undefined) return { path: await fs.canonical(at, context), stat };
	}
	const at = await descend(fs, fs.resolve(path), context);
	return { path: await fs.canonical(at, context), stat: await fs.stat(at, context) };
}

/** The path itself, then what else may have been meant by it. */
function spellings(path: string): Set<string> {
	const all = new Set([path, path.normalize("NFC"), path.normalize("NFD")]);
	const trimmed = path.trim();
	const quoted = /^"(.*)"$/s.exec(trimmed) ?? /^'(.*)'$/s.exec(trimmed) ?? /^`(.*)`$/s.exec(trimmed);
	if (trimmed !== "") all.add(trimmed);
	if (quoted?.[1]) all.add(unescapeJson(trimmed) ?? quoted[1]).add(quoted[1]);
	if (/^@./.test(trimmed)) all.add(trimmed.slice(1));
	const url = URL.parse(trimmed);
	if (url?.protocol === "file:" && url.pathname !== "/") all.add(decode(url.pathname));
	return all;
}

/** Names with control characters are shown as JSON strings (`quoteName`) and come back that way. */
function unescapeJson(quoted: string): string | undefined {
	try {
		const value: unknown = JSON.parse(quoted);
		return typeof value === "string" && value !== "" ? value : undefined;
	} catch {
		// Not JSON: quotes of another kind.
		return undefined;
	}
}

function decode(path: string): string {
	try {
		return decodeURIComponent(path);
	} catch {
		// A % that encodes nothing is just a %.
		return path;
	}
}

/** The path with each part that isn't there replaced by the one name in its folder that reads the same. */
async function descend(fs: FileSystem, path: string, context: Context): Promise<string> {
	const missing: string[] = [];
	let at = path;
	while ((await fs.stat(at, context)) === undefined && at !== "/") {
		missing.unshift(posix.basename(at));
		at = posix.dirname(at);
	}
	for (const [index, name] of missing.entries()) {
		const found = await sameName(fs, at, name, context);
		if (found === undefined) return posix.join(at, ...missing.slice(index));
		at = posix.join(at, found);
	}
	return at;
}

async function sameName(
	fs: FileSystem,
	folder: string,
	name: string,
	context: Context,
): Promise<string | undefined> {
	try {
		const { entries } = await folderEntries(fs, folder, mostEntries, context);
		if (entries.some((entry) => entry.name === name)) return name;
		const folded = foldName(name);
		const same = entries.filter((entry) => foldName(entry.name) === folded);
		return same.length === 1 ? same[0]!.name : undefined;
	} catch (error) {
		// A file, or a folder that can't be listed: then no name in it is known to be meant.
		if (error instanceof FileError) return undefined;
		throw error;
	}
}

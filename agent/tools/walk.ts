import { posix } from "node:path";
import type { Context } from "@earendil-works/chord";
import { FileError } from "../durable/env/file-error.ts";
import type { FileKind, FileSystem } from "../durable/env/file-system.ts";
import { folderEntries } from "./folder-entries.ts";
import { type IgnoreRules, isIgnored, parseIgnoreRules } from "./ignore-rules.ts";

export type WalkedEntry = {
	/** Relative to the folder where the walk began. */
	readonly path: string;
	readonly kind: FileKind;
};

/** The rules of one folder and where it is. */
type Rules = { readonly folder: string; readonly rules: IgnoreRules };

/** A folder of more names than this is walked as far as that. */
const mostEntries = 100_000;
const maxIgnoreBytes = 1024 * 1024;

/**
 * Everything below a folder, sorted, a folder before what is in it. What `.gitignore` files name is left out, up to
 * the root of the repository that the folder is in; so is `.git`. Links are named but not followed, and folders that
 * can't be read are passed over.
 */
export async function* walk(fs: FileSystem, root: string, context: Context): AsyncGenerator<WalkedEntry> {
	yield* walkFolder(fs, root, root, await rulesAbove(fs, root, context), context);
}

async function* walkFolder(
	fs: FileSystem,
	root: string,
	folder: string,
	above: readonly Rules[],
	context: Context,
): AsyncGenerator<WalkedEntry> {
	const entries = await readableEntries(fs, folder, context);
	const here = entries.some(({ name }) => name === ".gitignore") ? await rulesOf(fs, folder, context) : [];
	const rules = [...above, ...here];
	for (const { name, kind } of entries) {
		const path = posix.join(folder, name);
		if (name === ".git" || isIgnoredBy(rules, path, kind === "directory")) continue;
		yield { path: posix.relative(root, path), kind };
		if (kind === "directory") yield* walkFolder(fs, root, path, rules, context);
	}
}

async function readableEntries(fs: FileSystem, folder: string, context: Context) {
	try {
		return (await folderEntries(fs, folder, mostEntries, context)).entries;
	} catch (error) {
		// Gone since it was listed, or not ours to read: the rest of the tree is still worth seeing.
		if (error instanceof FileError && folder !== "/") return [];
		throw error;
	}
}

/** The innermost file that says anything decides. */
function isIgnoredBy(rules: readonly Rules[], path: string, isFolder: boolean): boolean {
	for (const { folder, rules: own } of rules.toReversed()) {
		const verdict = isIgnored(own, posix.relative(folder, path), isFolder);
		if (verdict !== undefined) return verdict;
	}
	return false;
}

/** The rules of the folders above, when the walk begins inside a repository. */
async function rulesAbove(fs: FileSystem, root: string, context: Context): Promise<Rules[]> {
	const above: Rules[] = [];
	for (let folder = root; ; folder = posix.dirname(folder)) {
		if (folder !== root) above.unshift(...(await rulesOf(fs, folder, context)));
		if ((await fs.stat(posix.join(folder, ".git"), context)) !== undefined) return above;
		if (folder === "/") return [];
	}
}

async function rulesOf(fs: FileSystem, folder: string, context: Context): Promise<Rules[]> {
	try {
		const bytes = await fs.readFile(posix.join(folder, ".gitignore"), { maxBytes: maxIgnoreBytes }, context);
		return [{ folder, rules: parseIgnoreRules(new TextDecoder().decode(bytes)) }];
	} catch (error) {
		// None there, or none that can be read: then nothing is ignored on its account.
		if (error instanceof FileError) return [];
		throw error;
	}
}

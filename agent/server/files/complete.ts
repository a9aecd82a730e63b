import { posix } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Context } from "@earendil-works/chord";
import { FileError } from "../../durable/env/file-error.ts";
import type { DirEntry, FileSystem } from "../../durable/env/file-system.ts";
import type { FileMatches } from "../../protocol/index.ts";
import { folderEntries } from "../../tools/folder-entries.ts";
import { type IgnoreRules, isIgnored, parseIgnoreRules } from "../../tools/ignore-rules.ts";
import { matchRank } from "./match.ts";
import { hiddenLast, isNoise } from "./noise.ts";

/** A tree of more entries than this is looked through as far as that, nearest folders first. */
const MOST_LOOKED_AT = 20_000;
const MOST_OF_ONE_FOLDER = 5_000;
const MOST_IGNORE_BYTES = 256 * 1024;

type Match = FileMatches["matches"][number];
type Rules = { readonly folder: string; readonly rules: IgnoreRules };
type Folder = { readonly path: string; readonly rules: readonly Rules[] };

/**
 * Files and folders below `root` that answer to what was typed after an `@`, best first, by paths relative to it. With
 * nothing typed, or a folder's path and a slash, what is in that folder. What `.gitignore` files name is left out, and so
 * is what nobody means. Rejects when the context is cancelled, and with a `FileError` when `root` can't be looked at.
 */
export async function completeFiles(
	fs: FileSystem,
	root: string,
	typed: string,
	limit: number,
	context: Context,
): Promise<FileMatches> {
	const query = typed.replace(/^\.?\/+/, "");
	const inFolder = query === "" || query.endsWith("/");
	const start = inFolder ? await folderBelow(fs, root, query, context) : "";
	if (start === undefined) return { matches: [], hasMore: false };
	const found: { match: Match; rank: number; order: number }[] = [];
	let order = 0;
	let isWhole = true;
	for await (const match of walkNearestFirst(fs, root, start, !inFolder, context, () => {
		isWhole = false;
	})) {
		const rank = inFolder ? 0 : matchRank(match.path, query);
		if (rank !== undefined) found.push({ match, rank, order: order++ });
	}
	found.sort((left, right) => left.rank - right.rank || left.order - right.order);
	return {
		matches: found.slice(0, limit).map(({ match }) => match),
		hasMore: found.length > limit || !isWhole,
	};
}

/** The typed folder, relative to `root`; undefined when there is none or it leads out of it. */
async function folderBelow(
	fs: FileSystem,
	root: string,
	typed: string,
	context: Context,
): Promise<string | undefined> {
	const path = posix.join(root, typed);
	const [top, folder] = await Promise.all([fs.canonical(root, context), fs.canonical(path, context)]);
	if (folder !== top && !folder.startsWith(top === "/" ? top : `${top}/`)) return undefined;
	if (typed !== "" && (await fs.stat(path, context))?.kind !== "directory") return undefined;
	return posix.relative(root, path);
}

/** Links are named but not followed. */
async function* walkNearestFirst(
	fs: FileSystem,
	root: string,
	start: string,
	deeper: boolean,
	context: Context,
	onCut: () => void,
): AsyncGenerator<Match> {
	let lookedAt = 0;
	const queue: Folder[] = [{ path: start, rules: await rulesAbove(fs, root, start, context) }];
	for (let next = 0; next < queue.length; next++) {
		const folder = queue[next]!;
		const { entries, more } = await readFolder(fs, posix.join(root, folder.path), next === 0, context);
		if (more) onCut();
		const rules = entries.some(({ name }) => name === ".gitignore")
			? [...folder.rules, ...(await rulesOf(fs, root, folder.path, context))]
			: folder.rules;
		for (const { name, kind } of entries.toSorted(hiddenLast)) {
			const path = posix.join(folder.path, name);
			const isFolder = kind === "directory";
			if (isNoise(name) || ignored(rules, path, isFolder)) continue;
			if (++lookedAt > MOST_LOOKED_AT) {
				onCut();
				return;
			}
			yield { path, kind: isFolder ? "folder" : "file" };
			if (isFolder && deeper) queue.push({ path, rules });
		}
		await nextTurn();
		context.abortSignal?.throwIfAborted();
	}
}

async function readFolder(
	fs: FileSystem,
	path: string,
	isFirst: boolean,
	context: Context,
): Promise<{ readonly entries: readonly DirEntry[]; readonly more: boolean }> {
	try {
		return await folderEntries(fs, path, MOST_OF_ONE_FOLDER, context);
	} catch (error) {
		// Gone since it was listed, or not ours to read: the rest of the tree is still worth seeing.
		if (error instanceof FileError && !isFirst) return { entries: [], more: false };
		throw error;
	}
}

async function rulesAbove(fs: FileSystem, root: string, start: string, context: Context): Promise<Rules[]> {
	const rules: Rules[] = [];
	const parts = start === "" ? [] : start.split("/");
	for (let depth = 0; depth < parts.length; depth++)
		rules.push(...(await rulesOf(fs, root, parts.slice(0, depth).join("/"), context)));
	return rules;
}

async function rulesOf(fs: FileSystem, root: string, folder: string, context: Context): Promise<Rules[]> {
	try {
		const path = posix.join(root, folder, ".gitignore");
		const bytes = await fs.readFile(path, { maxBytes: MOST_IGNORE_BYTES }, context);
		return [{ folder, rules: parseIgnoreRules(new TextDecoder().decode(bytes)) }];
	} catch (error) {
		// None there, or none that can be read: then nothing is ignored on its account.
		if (error instanceof FileError) return [];
		throw error;
	}
}

/** The innermost file that says anything decides. */
function ignored(rules: readonly Rules[], path: string, isFolder: boolean): boolean {
	for (const { folder, rules: own } of rules.toReversed()) {
		const verdict = isIgnored(own, posix.relative(folder, path), isFolder);
		if (verdict !== undefined) return verdict;
	}
	return false;
}

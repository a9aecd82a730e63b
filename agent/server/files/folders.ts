import { posix } from "node:path";
import type { Context } from "@earendil-works/chord";
import { FileError } from "../../durable/env/file-error.ts";
import type { DirEntry, FileSystem } from "../../durable/env/file-system.ts";
import type { FolderList } from "../../protocol/index.ts";
import { folderEntries } from "../../tools/folder-entries.ts";
import { hiddenLast, isNoise } from "./noise.ts";

const MOST_ENTRIES = 10_000;
const MOST_FOLDERS = 1_000;

/**
 * The folders in a folder, hidden ones last, for a picker. Rejects with a `FileError` when it can't be looked at, and
 * when the context is cancelled.
 */
export async function listFolders(fs: FileSystem, directory: string, context: Context): Promise<FolderList> {
	const { entries, more } = await folderEntries(fs, directory, MOST_ENTRIES, context);
	const folders: FolderList["folders"] = [];
	let left = false;
	for (const entry of entries.toSorted(hiddenLast)) {
		const path = posix.join(directory, entry.name);
		if (isNoise(entry.name) || !(await leadsToFolder(fs, path, entry, context))) continue;
		if (folders.length === MOST_FOLDERS) {
			left = true;
			break;
		}
		folders.push({ name: entry.name, directory: path, repository: await isRepository(fs, path, context) });
	}
	return {
		directory,
		parent: directory === "/" ? null : posix.dirname(directory),
		folders,
		hasMore: more || left,
	};
}

async function leadsToFolder(
	fs: FileSystem,
	path: string,
	{ kind }: DirEntry,
	context: Context,
): Promise<boolean> {
	if (kind !== "symlink") return kind === "directory";
	return (await statOf(fs, path, context))?.kind === "directory";
}

async function isRepository(fs: FileSystem, path: string, context: Context): Promise<boolean> {
	return (await statOf(fs, posix.join(path, ".git"), context)) !== undefined;
}

async function statOf(fs: FileSystem, path: string, context: Context) {
	try {
		return await fs.stat(path, context);
	} catch (error) {
		// A link in a circle, or a folder that isn't ours to enter: it is listed as what can be told of it.
		if (error instanceof FileError) return undefined;
		throw error;
	}
}

import { posix } from "node:path";
import type { Context } from "@earendil-works/chord";
import { FileError } from "../../durable/env/file-error.ts";
import type { FileSystem } from "../../durable/env/file-system.ts";
import { type ReadFileText, statOf } from "./file-text.ts";

/** The Git repository that a folder lies in. */
export type Repository = {
	readonly root: string;
	/** Whether its `.git` is a folder, or a file that names one: a worktree or a submodule. */
	readonly kind: "folder" | "file";
};

/** More folders above each other than any project has; bounds the search. */
const DEPTH = 64;

/**
 * The nearest repository, from a folder upwards. One whose root is the home directory (or lies above it) is not the
 * project's: people keep their settings in such.
 */
export async function findRepository(
	fs: FileSystem,
	folder: string,
	context: Context,
): Promise<Repository | undefined> {
	for (const at of foldersUpwards(folder, await homeOf(fs, context))) {
		const stat = await statOf(fs, posix.join(at, ".git"), context);
		if (stat?.kind === "directory") return { root: at, kind: "folder" };
		if (stat?.kind === "file") return { root: at, kind: "file" };
	}
	return undefined;
}

/** What is checked out, in words; undefined when it can't be told. */
export async function checkedOut(
	fs: FileSystem,
	repository: Repository,
	read: ReadFileText,
	context: Context,
): Promise<string | undefined> {
	const directory = await gitDirectory(fs, repository, read, context);
	if (directory === undefined) return undefined;
	const head = firstLine(await read(fs, posix.join(directory, "HEAD"), context));
	const branch = /^ref: refs\/heads\/([^\p{Cc}]{1,250})$/u.exec(head)?.[1];
	if (branch !== undefined) return `branch ${branch}`;
	const commit = /^[0-9a-f]{40,64}$/.exec(head)?.[0];
	return commit === undefined ? undefined : `commit ${commit.slice(0, 12)}, on no branch`;
}

async function gitDirectory(
	fs: FileSystem,
	{ root, kind }: Repository,
	read: ReadFileText,
	context: Context,
): Promise<string | undefined> {
	const at = posix.join(root, ".git");
	if (kind === "folder") return at;
	const named = /^gitdir: (.+)$/.exec(firstLine(await read(fs, at, context)))?.[1];
	return named === undefined ? undefined : posix.resolve(root, named);
}

function firstLine(file: Awaited<ReturnType<ReadFileText>>): string {
	return file?.kind === "text" ? file.text.split("\n", 1)[0]!.trimEnd() : "";
}

async function homeOf(fs: FileSystem, context: Context): Promise<string> {
	try {
		return await fs.canonical("~", context);
	} catch (error) {
		// A home that can't be looked at is still where people say it is.
		if (error instanceof FileError) return fs.resolve("~");
		throw error;
	}
}

function foldersUpwards(folder: string, home: string): string[] {
	const folders: string[] = [];
	for (let at = folder; folders.length < DEPTH; at = posix.dirname(at)) {
		const isHomeOrAbove = home === at || home.startsWith(at.endsWith("/") ? at : `${at}/`);
		if (isHomeOrAbove) break;
		folders.push(at);
		if (at === "/") break;
	}
	return folders;
}

/** The folders from an outer one down to an inner one, both included. */
export function foldersBetween(outer: string, inner: string): string[] {
	const folders = [inner];
	while (folders[0] !== outer && folders[0] !== "/") folders.unshift(posix.dirname(folders[0]!));
	return folders;
}

import { chmod, type FileHandle, lstat, mkdir, opendir, rm, rmdir, unlink } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import { posix } from "node:path";
import { writeAtomically } from "./atomic-write.ts";
import { canonicalPath } from "./canonical-path.ts";
import { FileError } from "./file-error.ts";
import type { BinaryReader, DirReader, FileProtection, FileStat, FileSystem } from "./file-system.ts";
import { systemCode, withFileErrors } from "./node-file-errors.ts";
import { fileStat, kindOf, statsAt } from "./node-file-stat.ts";
import { openRegularFile } from "./open-regular-file.ts";
import { readWholeFile } from "./read-whole-file.ts";
import { resolvePath } from "./resolve-path.ts";

export type NodeFileSystemOptions = {
	/** Absolute path of the folder that relative paths start from. */
	readonly cwd: string;
	/** Default: the home folder of the person this process runs for. */
	readonly home?: string;
	/** Of new files and folders: the person's own, which need not be this process's. Default `0o022`. */
	readonly umask?: number;
	/** Asked before a file is opened, replaced or removed. */
	readonly protect?: FileProtection;
};

/** The files of this machine. */
export function createNodeFileSystem(options: NodeFileSystemOptions): FileSystem {
	const { cwd, home = homedir() || userInfo().homedir, umask = 0o022, protect } = options;
	if (!posix.isAbsolute(cwd)) throw new FileError("invalid_path", cwd, `Not an absolute folder: ${cwd}.`);
	const resolve = (path: string) => resolvePath(path, { cwd, home });

	const fs: FileSystem = {
		id: "node",
		cwd,
		resolve,
		canonical: (path, context) => onPath(path, context, (at) => canonicalPath(at)),
		stat: (path, context) => onPath(path, context, (at) => statOf(at, "follow")),
		lstat: (path, context) => onPath(path, context, (at) => statOf(at, "keep")),
		readFile: (path, { maxBytes }, context) => readWholeFile(fs, path, maxBytes, context),
		openBinaryReader: (path, { noFollow }, context) =>
			onPath(path, context, async (at) => {
				const { handle, stat } = await openRegularFile(at, { noFollow, protect });
				return binaryReader(at, handle, stat);
			}),
		openDirReader: (path, context) => onPath(path, context, openDir),
		writeFileAtomic: (path, bytes, { expect }, context) =>
			onPath(path, context, (at) =>
				writeAtomically(at, bytes, { expect, protect, umask, signal: context.abortSignal }),
			),
		mkdir: (path, context) => onPath(path, context, (at) => makeFolders(at, umask)),
		remove: (path, { recursive = false }, context) =>
			onPath(path, context, (at) => removeAt(at, recursive, protect)),
	};
	return fs;

	async function onPath<T>(
		path: string,
		context: { readonly abortSignal: AbortSignal | undefined },
		operation: (at: string) => Promise<T>,
	): Promise<T> {
		context.abortSignal?.throwIfAborted();
		const at = resolve(path);
		return withFileErrors(at, () => operation(at));
	}
}

async function statOf(path: string, links: "follow" | "keep"): Promise<FileStat | undefined> {
	const stats = await statsAt(path, links);
	return stats === undefined ? undefined : fileStat(stats);
}

function binaryReader(path: string, handle: FileHandle, stat: FileStat): BinaryReader {
	let closing: Promise<void> | undefined;
	return {
		stat,
		read: (offset, length, context) =>
			withFileErrors(path, async () => {
				context.abortSignal?.throwIfAborted();
				const bytes = new Uint8Array(length);
				let filled = 0;
				while (filled < length) {
					const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
					if (bytesRead === 0) break;
					filled += bytesRead;
				}
				return bytes.subarray(0, filled);
			}),
		close: () => {
			closing ??= handle.close();
			return closing;
		},
	};
}

async function openDir(path: string): Promise<DirReader> {
	const dir = await opendir(path, { bufferSize: 256 });
	let closing: Promise<void> | undefined;
	return {
		next: (maxEntries, context) =>
			withFileErrors(path, async () => {
				context.abortSignal?.throwIfAborted();
				const entries = [];
				while (entries.length < Math.max(1, maxEntries)) {
					const entry = await dir.read();
					if (entry === null) return { entries, done: true };
					entries.push({ name: entry.name, kind: kindOf(entry) });
				}
				return { entries, done: false };
			}),
		close: () => {
			closing ??= dir.close();
			return closing;
		},
	};
}

async function makeFolders(path: string, umask: number): Promise<void> {
	const stats = await statsAt(path, "follow");
	if (stats?.isDirectory()) return;
	if (stats !== undefined) throw new FileError("not_a_directory", path);
	await makeFolders(posix.dirname(path), umask);
	try {
		await mkdir(path, 0o700);
	} catch (error) {
		// Someone made it at the same time; it is what was wanted if it is a folder.
		if (systemCode(error) === "EEXIST") return makeFolders(path, umask);
		throw error;
	}
	await chmod(path, 0o777 & ~umask);
}

async function removeAt(
	path: string,
	recursive: boolean,
	protect: FileProtection | undefined,
): Promise<void> {
	const stats = await lstat(path, { bigint: true });
	if (protect !== undefined) await refuseProtected(path, protect, recursive);
	if (!stats.isDirectory()) return unlink(path);
	if (!recursive) return rmdir(path);
	return rm(path, { recursive: true });
}

/** All of a tree is looked at before any of it is removed. */
async function refuseProtected(path: string, protect: FileProtection, recursive: boolean): Promise<void> {
	const stats = await lstat(path, { bigint: true });
	if (stats.isDirectory()) {
		if (!recursive) return;
		for await (const entry of await opendir(path))
			await refuseProtected(posix.join(path, entry.name), protect, recursive);
		return;
	}
	const refusal = protect(stats);
	if (refusal !== undefined) throw new FileError("protected", path, refusal);
}

import { randomBytes } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { access, type FileHandle, open, rename, unlink } from "node:fs/promises";
import { posix } from "node:path";
import { canonicalPath } from "./canonical-path.ts";
import { FileError } from "./file-error.ts";
import type { FileProtection, FileStat, WriteFileOptions } from "./file-system.ts";
import { systemCode } from "./node-file-errors.ts";
import { fileStat, statsAt } from "./node-file-stat.ts";
import { checkRegularFile } from "./open-regular-file.ts";

export type AtomicWrite = WriteFileOptions & {
	readonly protect: FileProtection | undefined;
	readonly umask: number;
	readonly signal: AbortSignal | undefined;
};

/**
 * Writes beside the target, flushes, and renames over it, so that no reader and no power cut ever sees half a file.
 * Bits, owner and group are kept; further hard links keep the old content, as with every writer of this kind. Until
 * the rename a failure or an abort leaves everything as it was.
 */
export async function writeAtomically(
	path: string,
	bytes: Uint8Array,
	write: AtomicWrite,
): Promise<FileStat> {
	const target = await canonicalPath(path);
	const current = await checkTarget(path, target, write);
	// A rename doesn't ask whether the file itself may be written to.
	if (current !== undefined) await access(target, constants.W_OK);
	const folder = posix.dirname(target);
	const temporary = posix.join(folder, `.outlive-${randomBytes(8).toString("hex")}.tmp`);
	const handle = await createTemporary(temporary, path, folder);
	try {
		const written = await fill(handle, bytes, current, write.umask);
		write.signal?.throwIfAborted();
		await checkTarget(path, target, write);
		await rename(temporary, target);
		await flushFolder(folder);
		return written;
	} catch (error) {
		await removeTemporary(temporary);
		throw error;
	}
}

async function checkTarget(
	path: string,
	target: string,
	{ protect, expect }: AtomicWrite,
): Promise<BigIntStats | undefined> {
	const stats = await statsAt(target, "keep");
	if (stats !== undefined) checkRegularFile(path, fileStat(stats), protect);
	if (expect !== undefined && !isExpected(stats, expect)) throw new FileError("changed", path);
	return stats;
}

function isExpected(stats: BigIntStats | undefined, expect: FileStat | "absent"): boolean {
	if (stats === undefined || expect === "absent") return stats === undefined && expect === "absent";
	return (
		stats.ino === expect.ino &&
		stats.dev === expect.dev &&
		stats.mtimeNs === expect.mtimeNs &&
		Number(stats.size) === expect.size
	);
}

async function createTemporary(temporary: string, path: string, folder: string): Promise<FileHandle> {
	try {
		return await open(temporary, "wx", 0o600);
	} catch (error) {
		const code = systemCode(error);
		if (code === "ENOENT")
			throw new FileError("not_found", path, `There is no folder ${folder}. Make it first.`, error);
		if (code === "EACCES" || code === "EROFS")
			throw new FileError(
				"permission_denied",
				path,
				`Permission denied: no file can be made in ${folder}, and ${path} is replaced by way of one. Change the folder's permissions, or choose another path.`,
				error,
			);
		throw error;
	}
}

async function fill(
	handle: FileHandle,
	bytes: Uint8Array,
	current: BigIntStats | undefined,
	umask: number,
): Promise<FileStat> {
	try {
		await handle.writeFile(bytes);
		if (current !== undefined) await keepOwner(handle, current);
		// After the owner: changing that clears set-user-id bits.
		await handle.chmod(current === undefined ? 0o666 & ~umask : Number(current.mode & 0o7777n));
		await handle.sync();
		return fileStat(await handle.stat({ bigint: true }));
	} finally {
		await handle.close();
	}
}

async function keepOwner(handle: FileHandle, current: BigIntStats): Promise<void> {
	const own = await handle.stat({ bigint: true });
	if (own.uid === current.uid && own.gid === current.gid) return;
	try {
		await handle.chown(Number(current.uid), Number(current.gid));
	} catch (error) {
		// Only root may give files away: then the file belongs to whoever wrote it, as with any editor.
		if (systemCode(error) !== "EPERM") throw error;
	}
}

async function flushFolder(folder: string): Promise<void> {
	try {
		const handle = await open(folder, constants.O_RDONLY);
		try {
			await handle.sync();
		} finally {
			await handle.close();
		}
	} catch (error) {
		// The new content is in place. Some file systems can't flush a folder, and a folder that may be written to but
		// not read can't be opened: then the name reaches the disk in the system's own time.
		const code = systemCode(error);
		if (code !== "EINVAL" && code !== "ENOTSUP" && code !== "EACCES") throw error;
	}
}

async function removeTemporary(temporary: string): Promise<void> {
	try {
		await unlink(temporary);
	} catch {
		// Renamed already, or the folder is gone: the error that led here is the one to report.
	}
}

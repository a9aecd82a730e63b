import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { canonicalPath } from "./canonical-path.ts";
import { FileError } from "./file-error.ts";
import type { FileProtection, FileStat } from "./file-system.ts";
import { fileStat, statsAt } from "./node-file-stat.ts";

/** Never waits for the other end of a pipe, never becomes a controlling terminal, never follows a swapped-in link. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | constants.O_NOFOLLOW;

/** Refuses everything but a regular file that may be used. Throws before anything is opened. */
export function checkRegularFile(path: string, stat: FileStat, protect: FileProtection | undefined): void {
	if (stat.kind === "directory") throw new FileError("is_a_directory", path);
	if (stat.kind === "symlink") throw new FileError("is_a_symlink", path);
	if (stat.kind === "other") throw new FileError("not_a_file", path);
	const refusal = protect?.(stat);
	if (refusal !== undefined) throw new FileError("protected", path, refusal);
}

/**
 * Opens a regular file for reading. It is looked at before it is opened: opening a pipe could wait for ever, and a
 * protected file must not be opened at all (see `protectFiles`). It is looked at again afterwards, in case another
 * file took its place in between.
 */
export async function openRegularFile(
	path: string,
	options: { readonly noFollow?: boolean; readonly protect?: FileProtection },
): Promise<{ readonly handle: FileHandle; readonly stat: FileStat }> {
	const target = options.noFollow === true ? path : await canonicalPath(path);
	const before = await statsAt(target, "keep");
	if (before === undefined) throw new FileError("not_found", path);
	checkRegularFile(path, fileStat(before), options.protect);
	const handle = await open(target, readFlags);
	try {
		const stat = fileStat(await handle.stat({ bigint: true }));
		if (stat.ino !== before.ino || stat.dev !== before.dev) checkRegularFile(path, stat, options.protect);
		return { handle, stat };
	} catch (error) {
		await handle.close();
		throw error;
	}
}

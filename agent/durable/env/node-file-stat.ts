import type { BigIntStats, Dirent } from "node:fs";
import { lstat, stat } from "node:fs/promises";
import type { FileKind, FileStat } from "./file-system.ts";
import { isAbsent } from "./node-file-errors.ts";

export function kindOf(of: BigIntStats | Dirent): FileKind {
	if (of.isFile()) return "file";
	if (of.isDirectory()) return "directory";
	return of.isSymbolicLink() ? "symlink" : "other";
}

export function fileStat(stats: BigIntStats): FileStat {
	return {
		kind: kindOf(stats),
		size: Number(stats.size),
		mode: Number(stats.mode & 0o7777n),
		mtimeNs: stats.mtimeNs,
		dev: stats.dev,
		ino: stats.ino,
	};
}

/** The stats at a path, links followed or not; undefined when nothing is there. */
export async function statsAt(path: string, links: "follow" | "keep"): Promise<BigIntStats | undefined> {
	try {
		return await (links === "follow" ? stat(path, { bigint: true }) : lstat(path, { bigint: true }));
	} catch (error) {
		if (isAbsent(error)) return undefined;
		throw error;
	}
}

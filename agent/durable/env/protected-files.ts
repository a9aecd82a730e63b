import { statSync } from "node:fs";
import type { FileProtection } from "./file-system.ts";

/**
 * Refuses the files at `paths` (those that exist at the time of asking, so that one made later counts too) under any
 * name: by device and inode, which hard links share. `sentence` is what the model and people read. Only looks files
 * up, never opens one: SQLite's locks are POSIX locks, and closing any descriptor of a locked file in this process
 * would drop them.
 */
export function protectFiles(paths: readonly string[], sentence: string): FileProtection {
	return ({ dev, ino }) => {
		for (const path of paths) {
			const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
			if (stats !== undefined && stats.ino === ino && stats.dev === dev) return sentence;
		}
		return undefined;
	};
}

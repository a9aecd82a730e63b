import { existsSync, rmSync, writeFileSync } from "node:fs";

/**
 * A store in which wrong bytes were met is marked by an empty file beside it, so that the next opening reads it whole
 * whatever its size. Without the mark a process could start, meet the damage again and stop, over and over.
 */
export function markSuspect(file: string): void {
	try {
		writeFileSync(mark(file), "", { mode: 0o600 });
	} catch {
		// The damage itself is about to be reported; a mark that can't be made must not hide it.
	}
}

export function isSuspect(file: string): boolean {
	return existsSync(mark(file));
}

export function clearSuspicion(file: string): void {
	rmSync(mark(file), { force: true });
}

function mark(file: string): string {
	return `${file}.suspect`;
}

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How the agent before this one ended. Times are in ms since the epoch. */
export type LastRun =
	| { readonly kind: "none" }
	| { readonly kind: "clean"; readonly endedAt: number }
	| { readonly kind: "crashed"; readonly endedAt: number; readonly reason: string }
	/** It wrote no end: it was killed, or the machine went down. */
	| { readonly kind: "killed"; readonly pid: number; readonly startedAt: number };

type Stored = {
	readonly pid: number;
	readonly startedAt: number;
	readonly version: string;
	readonly end?: "clean" | "crashed";
	readonly endedAt?: number;
	readonly reason?: string;
};

export type RunRecord = {
	/** How the run before this one ended. */
	readonly last: LastRun;
	/** Writes that this run ended; the last word counts. */
	ended(end: { readonly kind: "clean" } | { readonly kind: "crashed"; readonly reason: string }): void;
};

/**
 * Reads how the last run ended and notes that a new one has begun. Only the owner of the data directory calls it. A
 * file that can't be read as one of ours counts as none.
 */
export function beginRun(
	directory: string,
	run: { readonly pid: number; readonly startedAt: number; readonly version: string },
	now: () => number,
): RunRecord {
	const path = join(directory, "last-run.json");
	const last = readLastRun(path);
	write(path, run);
	return {
		last,
		ended(end) {
			const reason = end.kind === "crashed" ? { reason: end.reason } : {};
			write(path, { ...run, end: end.kind, endedAt: now(), ...reason });
		},
	};
}

function readLastRun(path: string): LastRun {
	let stored: Partial<Stored>;
	try {
		stored = JSON.parse(readFileSync(path, "utf8")) as Partial<Stored>;
	} catch {
		// Missing at the first start; torn by a power cut: either way nothing is known.
		return { kind: "none" };
	}
	const { pid, startedAt, end, endedAt = 0, reason = "" } = stored;
	if (typeof pid !== "number" || typeof startedAt !== "number") return { kind: "none" };
	if (end === "clean") return { kind: "clean", endedAt };
	if (end === "crashed") return { kind: "crashed", endedAt, reason };
	return { kind: "killed", pid, startedAt };
}

/** Whole or not at all: a reader never sees half a file. */
function write(path: string, stored: Stored): void {
	const temporary = `${path}.new`;
	writeFileSync(temporary, `${JSON.stringify(stored)}\n`, { mode: 0o600 });
	renameSync(temporary, path);
}

/** A sentence for the log and for people; undefined when there is nothing to say. */
export function describeLastRun(last: LastRun): string | undefined {
	switch (last.kind) {
		case "none":
			return undefined;
		case "clean":
			return "The last agent ended by itself.";
		case "crashed":
			return `The last agent ended with an error: ${last.reason}`;
		case "killed":
			return `The last agent (process ${last.pid}) was killed, or the machine went down. What was running is resumed.`;
	}
}

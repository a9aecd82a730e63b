import { statSync } from "node:fs";
import type { Health, HealthProblem } from "../protocol/index.ts";
import type { Backups } from "./backups.ts";
import type { Disk } from "./disk.ts";

export type HealthOptions = {
	readonly store: string;
	readonly disk: Disk;
	readonly backups: Backups;
	/** Problems found at the start, such as a store that was restored from a copy. */
	readonly atStart: readonly HealthProblem[];
	readonly restored: boolean;
	readonly now: () => number;
};

/** Calls whoever listens when something about the agent's health may have changed. */
export function createHealthSignal() {
	const listeners = new Set<() => void>();
	return {
		changed: () => {
			for (const listener of [...listeners]) listener();
		},
		subscribe(listener: () => void): () => void {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
}

/** What is wrong with the agent as a whole, as `agent.info` and the list of sessions say it. */
export function currentHealth({ store, disk, backups, atStart, restored, now }: HealthOptions): Health {
	const room = disk.state();
	const failedAt = backups.failedAt();
	const problems: HealthProblem[] = [...atStart];
	if (room.state !== "ok")
		problems.push({
			code: room.state === "full" ? "disk_full" : "disk_low",
			message: room.state === "full" ? "The disk is full; what runs waits." : "The disk is almost full.",
			fix: "Free some space on it.",
			at: now(),
		});
	if (failedAt !== undefined)
		problems.push({
			code: "backup_failed",
			message: "The last daily copy of the store could not be made.",
			fix: "See agent.log for why.",
			at: failedAt,
		});
	return {
		ok: problems.length === 0,
		disk: room,
		database: { bytes: statSync(store).size, state: restored ? "restored" : "ok", checkedAt: null },
		lastBackupAt: backups.last(),
		problems,
	};
}

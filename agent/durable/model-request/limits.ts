import type { LiveTasks } from "../tasks/live-tasks.ts";
import type { KnownLimit, Limits } from "../types/limits.ts";
import { storedWaitOf } from "./stored-wait.ts";

/**
 * The accounts' limits, read from the stored waits themselves: a limit is known as long as a run or a compaction waits
 * for it, in this process and the next.
 */
export function createLimits(liveTasks: LiveTasks): Limits {
	return {
		of(provider) {
			let newest: KnownLimit | undefined;
			for (const { record } of liveTasks.live.values()) {
				const { limit, lengthMs = 0 } = storedWaitOf(record) ?? {};
				if (limit?.provider !== provider) continue;
				if (newest === undefined || limit.until > newest.limit.until)
					newest = { limit, longestMs: lengthMs, waiting: 1 };
				else if (limit.until === newest.limit.until)
					newest = {
						limit,
						longestMs: Math.min(lengthMs, newest.longestMs),
						waiting: newest.waiting + 1,
					};
			}
			return newest;
		},
	};
}

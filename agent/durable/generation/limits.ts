import type { LiveTasks } from "../tasks/live-tasks.ts";
import type { KnownLimit, Limits } from "../types/limits.ts";
import type { GenerationCheckpoint } from "./token.ts";

/**
 * The accounts' limits, read from the stored waits themselves: a limit is known as long as a conversation waits for it, in
 * this process and the next.
 */
export function createLimits(liveTasks: LiveTasks): Limits {
	return {
		of(provider) {
			let newest: KnownLimit | undefined;
			for (const { record } of liveTasks.live.values()) {
				if (record.kind !== "pi.generation" || record.abortRequested) continue;
				if (record.state.status !== "running" && record.state.status !== "pending") continue;
				const checkpoint = record.state.checkpoint as unknown as GenerationCheckpoint;
				if (checkpoint.phase !== "retry" || checkpoint.limit?.provider !== provider) continue;
				const { limit, lengthMs } = checkpoint;
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

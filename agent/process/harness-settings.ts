import type { HarnessSettings } from "../durable/index.ts";
import type { SettingsFile } from "../platform/settings.ts";

/** The person's settings as the harness reads them: at each use, so that a change applies to the next decision. */
export function harnessSettings(settings: SettingsFile): HarnessSettings {
	return {
		get retry() {
			const current = settings.current();
			return { maxRetries: current["retry.maxRetries"], baseDelayMs: current["retry.baseDelayMs"] };
		},
		get compaction() {
			const current = settings.current();
			return {
				enabled: current["compaction.enabled"],
				reserveTokens: current["compaction.reserveTokens"],
				keepRecentTokens: current["compaction.keepRecentTokens"],
				backgroundTokens: current["compaction.backgroundTokens"],
			};
		},
		get progress() {
			const interval = settings.current()["progress.partialIntervalMs"];
			return { partialIntervalMs: interval, outputIntervalMs: interval };
		},
	};
}

/** What one subagent may use, read at each call. */
export function subagentLimits(settings: SettingsFile): {
	readonly depth: number;
	readonly cost: number;
	readonly timeMs: number;
} {
	const current = settings.current();
	return {
		depth: current["subagents.depth"],
		cost: current["subagents.maxDollars"],
		timeMs: current["subagents.maxMinutes"] * 60_000,
	};
}

import type { HarnessSettings } from "../durable/index.ts";
import type { SettingsFile } from "../platform/settings.ts";

/** The person's settings as the harness reads them: at each use, so that a change applies to the next decision. */
export function harnessSettings(settings: SettingsFile): HarnessSettings {
	return {
		get retry() {
			const current = settings.current();
			return { maxRetries: current["retry.maxRetries"], baseDelayMs: current["retry.baseDelayMs"] };
		},
		get progress() {
			const interval = settings.current()["progress.partialIntervalMs"];
			return { partialIntervalMs: interval, outputIntervalMs: interval };
		},
	};
}

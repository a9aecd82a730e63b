import type { HarnessSettings, Settings } from "../types/agent.ts";

const RETRY = {
	enabled: true,
	maxRetries: 3,
	baseDelayMs: 2_000,
	maxAgentDelayMs: 60_000,
	maxResumptions: 5,
};
const COMPACTION = {
	enabled: true,
	reserveTokens: 16_384,
	keepRecentTokens: 20_000,
	backgroundTokens: 32_768,
};
const PROGRESS = { partialIntervalMs: 100, outputIntervalMs: 100 };

/** A host's settings with every default filled in. Read anew for each decision, so getters make them live. */
export function resolveSettings(settings: HarnessSettings = {}): Settings {
	return {
		...(settings.extensions === undefined ? {} : { extensions: settings.extensions }),
		stream: settings.stream ?? {},
		retry: { ...RETRY, ...settings.retry },
		compaction: { ...COMPACTION, ...settings.compaction },
		progress: { ...PROGRESS, ...settings.progress },
		toolExecution: settings.toolExecution ?? "parallel",
		steeringMode: settings.steeringMode ?? "one-at-a-time",
		followUpMode: settings.followUpMode ?? "one-at-a-time",
		contextRetentionMs: settings.contextRetentionMs ?? 600_000,
	};
}

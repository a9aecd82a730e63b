import type { CatalogEntry } from "../catalog-entry.ts";
import { createDetection } from "./detect.ts";
import { CLAUDE_CODE, modelOfId } from "./models.ts";
import { type ClaudeCodeOptions, createClaudeCodeProvider } from "./provider.ts";

/** Claude Code in the catalog: its provider, and whether this machine's `claude` can answer. */
export function claudeCodeEntry(options: ClaudeCodeOptions): CatalogEntry {
	const provider = createClaudeCodeProvider(options);
	const detect = createDetection(provider.learn);
	return {
		id: CLAUDE_CODE,
		name: provider.name,
		kind: "claude-code",
		provider,
		unlisted: (id, model) => (id === CLAUDE_CODE ? modelOfId(model) : undefined),
		detect: async ({ environment, signal }) => detect(await environment(), signal),
		close: provider.close,
	};
}

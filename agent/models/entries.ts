import { apiEntry } from "./api/entry.ts";
import type { KeySources } from "./api/keyed-provider.ts";
import type { CatalogEntry } from "./catalog-entry.ts";
import { claudeCodeEntry } from "./claude-code/entry.ts";
import type { ClaudeCodeOptions } from "./claude-code/provider.ts";
import { type LocalServersOptions, localServersEntry } from "./local/entry.ts";
import { createScriptedProvider, SCRIPTED_PROVIDER } from "./scripted/provider.ts";

/**
 * Everything that may answer, the one to prefer first. The scripted model comes last: it is always there.
 *
 * @param options `wordIntervalMs` of the scripted provider; `claudeCode`: without it Claude Code can be named, not found;
 * `api`, `local`: without them there are no API providers, no model servers of the machine's own
 */
export function catalogEntries(
	options: {
		readonly wordIntervalMs?: number;
		readonly claudeCode?: ClaudeCodeOptions;
		readonly api?: KeySources;
		readonly local?: LocalServersOptions;
	} = {},
): readonly CatalogEntry[] {
	const { claudeCode = { environment: async () => ({}) }, api, local, ...scripted } = options;
	const provider = createScriptedProvider(scripted);
	return [
		claudeCodeEntry(claudeCode),
		...(api === undefined ? [] : [apiEntry(api)]),
		...(local === undefined ? [] : [localServersEntry(local)]),
		{
			id: SCRIPTED_PROVIDER,
			name: provider.name,
			kind: "scripted",
			provider,
			detect: async () => ({ available: true }),
		},
	];
}

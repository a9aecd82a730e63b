import { apiEntry } from "./api/entry.ts";
import type { KeySources } from "./api/keyed-provider.ts";
import type { CatalogEntry } from "./catalog-entry.ts";
import { claudeCodeEntry } from "./claude-code/entry.ts";
import type { ClaudeCodeOptions } from "./claude-code/provider.ts";
import { type LocalServersOptions, localServersEntry } from "./local/entry.ts";
import type { Findable } from "./look-for.ts";
import { createScriptedProvider, SCRIPTED_PROVIDER } from "./scripted/provider.ts";

/**
 * Everything that may answer, the one to prefer first. The scripted model comes last: it is always there.
 *
 * @param options `wordIntervalMs` of the scripted provider; `claudeCode`: without it Claude Code can be named, not found;
 * `api`, `local`: without them there are no API providers, no model servers of the machine's own; `lookFor`: everyone
 * unless given
 */
export function catalogEntries(
	options: {
		readonly wordIntervalMs?: number;
		readonly lookFor?: ReadonlySet<Findable>;
		readonly claudeCode?: ClaudeCodeOptions;
		readonly api?: KeySources;
		readonly local?: LocalServersOptions;
	} = {},
): readonly CatalogEntry[] {
	const { claudeCode = NOWHERE, api, local, lookFor, ...scripted } = options;
	const isLookedFor = (each: Findable) => lookFor?.has(each) ?? true;
	const provider = createScriptedProvider(scripted);
	return [
		isLookedFor("claude-code") ? claudeCodeEntry(claudeCode) : hidden(claudeCodeEntry(NOWHERE)),
		...(api === undefined || !isLookedFor("api") ? [] : [apiEntry(api)]),
		...(local === undefined || !isLookedFor("local") ? [] : [localServersEntry(local)]),
		{
			id: SCRIPTED_PROVIDER,
			name: provider.name,
			kind: "scripted",
			provider,
			detect: async () => ({ available: true }),
		},
	];
}

/** A machine with no program on it. */
const NOWHERE: ClaudeCodeOptions = { environment: async () => ({}) };

/** One whose models can be named, and that is never asked. */
function hidden(entry: CatalogEntry): CatalogEntry {
	return {
		...entry,
		detect: async () => ({
			available: false,
			reason: `${entry.name} is not looked for.`,
			fix: "Start the agent without OUTLIVE_LOOK_FOR.",
		}),
	};
}

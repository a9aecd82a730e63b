import type { CatalogEntry } from "./catalog-entry.ts";
import { apiProviders, claudeCode, localServers } from "./not-yet.ts";
import { createScriptedProvider, SCRIPTED_PROVIDER } from "./scripted/provider.ts";

/**
 * Everything that may answer, the one to prefer first. The scripted model comes last: it is always there.
 *
 * @param scripted options of the scripted provider
 */
export function catalogEntries(scripted: { readonly wordIntervalMs?: number } = {}): readonly CatalogEntry[] {
	const provider = createScriptedProvider(scripted);
	return [
		claudeCode,
		apiProviders,
		localServers,
		{
			id: SCRIPTED_PROVIDER,
			name: provider.name,
			kind: "scripted",
			provider,
			detect: async () => ({ available: true }),
		},
	];
}

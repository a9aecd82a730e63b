import type { CatalogEntry } from "../../../agent/models/catalog-entry.ts";
import { createTimedProvider } from "./provider.ts";

/** In place of `agent/models/entries.ts`. */
export function catalogEntries(): readonly CatalogEntry[] {
	const provider = createTimedProvider();
	return [
		{
			id: provider.id,
			name: provider.name,
			kind: "scripted",
			provider,
			detect: async () => ({ available: true }),
		},
	];
}

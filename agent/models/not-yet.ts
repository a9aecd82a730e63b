import type { CatalogEntry } from "./catalog-entry.ts";

/** Ways to get an answer that this version can only name, with an honest reason. */

const UNTIL_THEN = "A later version will; until then use the scripted model (script/script-1).";

export const localServers: CatalogEntry = {
	id: "local",
	name: "Local servers",
	kind: "local",
	detect: async () => ({
		available: false,
		reason: "This version of Outlive doesn't use model servers on this machine yet.",
		fix: UNTIL_THEN,
	}),
};

import { findExecutable } from "../platform/find-executable.ts";
import type { CatalogEntry } from "./catalog-entry.ts";

/** Ways to get an answer that this version can only name, with an honest reason. */

const UNTIL_THEN = "A later version will; until then use the scripted model (script/script-1).";

export const claudeCode: CatalogEntry = {
	id: "claude-code",
	name: "Claude Code",
	kind: "claude-code",
	async detect({ environment }) {
		const found = await findExecutable("claude", await environment());
		return found === undefined
			? {
					available: false,
					reason: "Claude Code is not installed.",
					fix: "There is nothing to do: this version of Outlive could not use it yet anyway.",
				}
			: {
					available: false,
					reason: "Claude Code is installed, but this version of Outlive cannot use it yet.",
					fix: UNTIL_THEN,
				};
	},
};

export const apiProviders: CatalogEntry = {
	id: "api",
	name: "API providers",
	kind: "api",
	detect: async () => ({
		available: false,
		reason: "This version of Outlive doesn't use API keys yet.",
		fix: UNTIL_THEN,
	}),
};

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

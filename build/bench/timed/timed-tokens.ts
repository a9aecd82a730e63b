import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const ENTRIES = fileURLToPath(new URL("../../../agent/models/entries.ts", import.meta.url));
const TIMED = fileURLToPath(new URL("./entries.ts", import.meta.url));

/**
 * Puts a model in the scripted one's place that writes into each token when it was sent. Everything else of the agent
 * stays what users have, from its own entry on.
 */
export function timedTokens(): Plugin {
	return {
		name: "outlive-timed-tokens",
		enforce: "pre",
		async resolveId(source, importer) {
			const resolved = await this.resolve(source, importer, { skipSelf: true });
			return resolved?.id === ENTRIES ? TIMED : undefined;
		},
	};
}

import { join } from "node:path";
import { defineConfig, type InlineConfig } from "vite";
import { embedText } from "./build/bundle/embed-text.ts";
import { embedWorker } from "./build/bundle/embed-worker.ts";
import { LATE_PACKAGES, lateOnly } from "./build/bundle/late-only.ts";

/**
 * How the agent becomes one script that the app can run with nothing else beside it but better-sqlite3: packages,
 * text files and the programs of threads are inlined, and what the sources load late (the SDKs of providers) stays in chunks of its own, which
 * cost nothing until they are loaded.
 *
 * @param entry the agent's entry, absolute or relative to the project's folder
 * @param outDir where `agent.js`, its chunks in `agent/` and their source maps go; nothing there is removed
 */
export function agentBundle(entry: string, outDir: string): InlineConfig {
	return {
		root: import.meta.dirname,
		configFile: false,
		publicDir: false,
		logLevel: "warn",
		plugins: [embedWorker(), embedText(), lateOnly(LATE_PACKAGES)],
		ssr: { target: "node", noExternal: true, external: ["better-sqlite3"] },
		build: {
			ssr: entry,
			outDir,
			emptyOutDir: false,
			target: "node24",
			minify: false,
			sourcemap: true,
			rolldownOptions: {
				output: { format: "es", entryFileNames: "agent.js", chunkFileNames: "agent/[name]-[hash].js" },
			},
		},
	};
}

export default defineConfig(agentBundle("agent/main.ts", join(import.meta.dirname, "out")));

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type InlineConfig } from "vite";

/**
 * How the window becomes the static files that the app's own scheme and the web relay serve. Addresses in them are
 * relative, so they work under any origin; scripts, styles and workers are files, so that the page's CSP needs no
 * exception.
 *
 * @param outDir where `index.html` and `assets/` go, absolute or relative to this folder; it is emptied first
 */
export function windowBundle(outDir: string): InlineConfig {
	return {
		root: import.meta.dirname,
		base: "./",
		configFile: false,
		publicDir: false,
		logLevel: "warn",
		plugins: [svelte({ configFile: false, compilerOptions: { runes: true } })],
		worker: { format: "es" },
		build: {
			outDir,
			emptyOutDir: true,
			target: ["chrome130", "safari18", "firefox140"],
			assetsInlineLimit: 0,
			modulePreload: { polyfill: false },
			sourcemap: true,
			rolldownOptions: { checks: { pluginTimings: false } },
		},
	};
}

export default defineConfig(windowBundle("../out/window"));

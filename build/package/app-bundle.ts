import { join } from "node:path";
import type { InlineConfig } from "vite";

const root = join(import.meta.dirname, "..", "..");

/** What the main process and the preloads find at run time: Electron's own modules and Node's. */
const EXTERNAL = ["electron", /^node:/];

/** The main process as one script, `main.js`. */
export function mainBundle(outDir: string): InlineConfig {
	return script(outDir, "main/main.ts", "main.js", "es");
}

/** The two preloads, each one script in CommonJS: a sandboxed preload can't be anything else. */
export function preloadBundles(outDir: string): InlineConfig[] {
	return ["window-preload", "popover-preload"].map((name) =>
		script(outDir, `main/pages/${name}.ts`, `${name}.cjs`, "cjs"),
	);
}

/** The popover's page, `popover/popover.html` with its script and style. */
export function popoverBundle(outDir: string): InlineConfig {
	return {
		...COMMON,
		root: join(root, "main", "pages", "popover"),
		base: "./",
		build: {
			...COMMON.build,
			outDir: join(outDir, "popover"),
			assetsInlineLimit: 0,
			modulePreload: false,
			rolldownOptions: { input: join(root, "main", "pages", "popover", "popover.html") },
		},
	};
}

const COMMON = {
	configFile: false,
	publicDir: false,
	logLevel: "warn",
	build: { emptyOutDir: false, minify: false, sourcemap: true },
} satisfies InlineConfig;

function script(outDir: string, entry: string, fileName: string, format: "es" | "cjs"): InlineConfig {
	return {
		...COMMON,
		root,
		ssr: { target: "node", noExternal: true, external: ["electron"] },
		build: {
			...COMMON.build,
			ssr: entry,
			outDir,
			target: "node24",
			rolldownOptions: {
				external: EXTERNAL,
				output: { format, entryFileNames: fileName, codeSplitting: false },
			},
		},
	};
}

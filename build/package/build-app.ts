import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { windowBundle } from "../../renderer/vite.config.ts";
import { mainBundle, popoverBundle, preloadBundles } from "./app-bundle.ts";

const root = join(import.meta.dirname, "..", "..");

/**
 * Builds the app as Electron takes it: a folder with one script for the main process, the preloads, the pages, the icons
 * and a package.json. The agent isn't in it: a checkout runs its sources.
 *
 * @param outDir the folder, made anew
 */
export async function buildApp(outDir: string): Promise<void> {
	rmSync(outDir, { recursive: true, force: true });
	mkdirSync(outDir, { recursive: true });
	await build(mainBundle(outDir));
	for (const preload of preloadBundles(outDir)) await build(preload);
	await build(popoverBundle(outDir));
	await build(windowBundle(join(outDir, "window")));
	cpSync(join(root, "build", "icons", "made"), join(outDir, "icons"), { recursive: true });
	writeFileSync(join(outDir, "package.json"), `${JSON.stringify(appManifest(), null, "\t")}\n`);
}

/** What Electron and electron-builder read of the app. */
export function appManifest() {
	const { version, description, license } = JSON.parse(
		readFileSync(join(root, "package.json"), "utf8"),
	) as Record<string, string>;
	return {
		name: "outlive",
		productName: "Outlive",
		version,
		description,
		author: "The Outlive authors",
		// A reserved name: Linux packages must state one, and there is no page yet.
		homepage: "https://outlive.example",
		license,
		type: "module",
		main: "main.js",
		dependencies: {},
	};
}

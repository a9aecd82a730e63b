import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/**
 * Electron's binary: `OUTLIVE_ELECTRON`, or the one of the installed package, which set-up doesn't download. The package
 * itself is never imported for this: it would download.
 */
export function electronBinary(
	env: NodeJS.ProcessEnv = process.env,
	platform: NodeJS.Platform = process.platform,
	folder: string = root,
): string | undefined {
	if (env.OUTLIVE_ELECTRON) return env.OUTLIVE_ELECTRON;
	const inPackage = platform === "darwin" ? "Electron.app/Contents/MacOS/Electron" : "electron";
	const binary = join(folder, "node_modules", "electron", "dist", inPackage);
	return existsSync(binary) ? binary : undefined;
}

/** Why the app can't be opened here, as a sentence; undefined when it can. */
export function whyNoApp(
	env: NodeJS.ProcessEnv = process.env,
	platform: NodeJS.Platform = process.platform,
	folder: string = root,
): string | undefined {
	if (platform !== "darwin" && !env.DISPLAY && !env.WAYLAND_DISPLAY && !env.OUTLIVE_ELECTRON)
		return "there is no display here";
	if (electronBinary(env, platform, folder) === undefined)
		return "Electron’s binary is not here; to fetch it: node node_modules/electron/install.js";
	return undefined;
}

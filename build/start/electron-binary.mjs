import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pinnedNode } from "../pinned-node.mjs";

/** How long Electron's own installer may take to fetch its binary, in ms: it is 100 MB and more. */
const FETCH_MS = 180_000;

/** @typedef {{ kind: "ready", binary: string } | { kind: "none", why: string }} ElectronBinary */

/**
 * Electron's binary: where one is named, where it was fetched before, or fetched now.
 *
 * @param {{ root: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform, say: (line: string) => void }} options
 * @returns {Promise<ElectronBinary>}
 */
export async function electronBinary({ root, env, platform, say }) {
	if (platform === "linux" && !env.DISPLAY && !env.WAYLAND_DISPLAY)
		return { kind: "none", why: "there is no display" };
	if (env.OUTLIVE_ELECTRON) return { kind: "ready", binary: env.OUTLIVE_ELECTRON };
	const there = fetched(root);
	if (there !== undefined) return { kind: "ready", binary: there };
	say("Fetching Electron's binary …");
	const failure = await fetchBinary(root, env);
	const binary = fetched(root);
	if (binary !== undefined) return { kind: "ready", binary };
	return { kind: "none", why: `Electron's binary can't be had (${failure ?? "its installer made none"})` };
}

/** @param {string} root @returns {string | undefined} the binary that Electron's installer left */
function fetched(root) {
	const folder = join(root, "node_modules", "electron");
	const note = join(folder, "path.txt");
	if (!existsSync(note)) return undefined;
	const binary = join(folder, "dist", readFileSync(note, "utf8").trim());
	return existsSync(binary) ? binary : undefined;
}

/**
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>} why it failed
 */
function fetchBinary(root, env) {
	return new Promise((resolve) => {
		const installer = spawn(pinnedNode(root), [join(root, "node_modules", "electron", "install.js")], {
			env,
			stdio: ["ignore", "ignore", "pipe"],
			timeout: FETCH_MS,
		});
		let said = "";
		installer.stderr.setEncoding("utf8").on("data", (text) => {
			said += text;
		});
		installer.on("error", (error) => resolve(error.message));
		installer.on("close", (code) => {
			const reason = /(?:Error|code): ?'?([^\n']+)/.exec(said)?.[1]?.trim();
			resolve(code === 0 ? undefined : (reason ?? `its installer ended with ${code}`));
		});
	});
}

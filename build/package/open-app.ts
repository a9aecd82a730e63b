import { type ChildProcess, spawn } from "node:child_process";
import { builtApp } from "./built-app.ts";
import { electronBinary } from "./electron-binary.ts";

/**
 * How to open the app of this checkout, which is built when it isn't yet: call what this resolves with. Where the app is
 * open already, that one shows its window and this process ends at once. The agent that it starts goes on when it ends.
 *
 * Call it where `whyNoApp` has no reason.
 */
export async function readyApp(): Promise<() => ChildProcess> {
	const binary = electronBinary();
	if (binary === undefined) throw new Error("There is no Electron here.");
	const { ELECTRON_RUN_AS_NODE: _, NODE_OPTIONS: __, ...env } = process.env;
	// Chromium refuses its sandbox to root; a person doesn't run it so.
	const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
	const app = await builtApp();
	return () => spawn(binary, [...asRoot, app], { env, stdio: "inherit" });
}

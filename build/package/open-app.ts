import { type ChildProcess, spawn } from "node:child_process";
import { builtApp } from "./built-app.ts";
import { electronBinary } from "./electron-binary.ts";

/**
 * Opens the app of this checkout, building it when it isn't built yet. Where the app is open already, that one shows its
 * window and this process ends at once. The agent that it starts goes on when it ends.
 *
 * Call it where `whyNoApp` has no reason.
 */
export async function openApp(args: readonly string[] = []): Promise<ChildProcess> {
	const binary = electronBinary();
	if (binary === undefined) throw new Error("There is no Electron here.");
	const { ELECTRON_RUN_AS_NODE: _, NODE_OPTIONS: __, ...env } = process.env;
	// Chromium refuses its sandbox to root; a person doesn't run it so.
	const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
	return spawn(binary, [...asRoot, await builtApp(), ...args], { env, stdio: "inherit" });
}

/**
 * Opens the app; where it can't be opened, says why in one line and serves the window to a browser instead, until
 * Ctrl-C. Either way the agent that was started goes on when this ends.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { builtWindow } from "../bundle/window.ts";
import { exitCodeOf, inForeground } from "../foreground.mjs";
import { electronBinary, whyNoApp } from "../package/electron-binary.ts";
import { readyApp } from "../package/open-app.ts";
import { fetchElectron } from "./fetch-electron.ts";

const root = join(import.meta.dirname, "..", "..");
const say = (line: string) => void process.stdout.write(`${line}\n`);

// The folder that the window offers for a first session.
mkdirSync(join(homedir(), "Outlive", "first"), { recursive: true });
if (whyNoApp() !== undefined && electronBinary() === undefined && hasDisplay()) {
	say("Fetching Electron's binary …");
	const fetched = await fetchElectron(root);
	if (fetched.askedBy !== undefined) process.exit(exitCodeOf(fetched));
}
const why = whyNoApp();
const start = why === undefined ? await readyApp() : await readyServer(why);
process.exitCode = exitCodeOf(await inForeground(start));

async function readyServer(reason: string): Promise<() => ChildProcess> {
	say(`The app can't open here: ${reason}. The window is served to a browser instead.`);
	await builtWindow(root);
	const open = hasDisplay() ? ["--open"] : [];
	const args = [join(root, "agent", "cli", "main.ts"), "web", ...open];
	return () => spawn(process.execPath, args, { stdio: "inherit" });
}

function hasDisplay(): boolean {
	return process.platform === "darwin" || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

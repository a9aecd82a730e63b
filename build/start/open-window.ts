/**
 * Opens the app; where it can't be opened, says why in one line and serves the window to a browser instead, until
 * Ctrl-C. Either way the agent that was started goes on when this ends.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { builtWindow } from "../bundle/window.ts";
import { electronBinary, whyNoApp } from "../package/electron-binary.ts";
import { openApp } from "../package/open-app.ts";
import { fetchElectron } from "./fetch-electron.ts";

const root = join(import.meta.dirname, "..", "..");
const say = (line: string) => void process.stdout.write(`${line}\n`);

// The folder that the window offers for a first session.
mkdirSync(join(homedir(), "Outlive", "first"), { recursive: true });
if (whyNoApp() !== undefined && electronBinary() === undefined && hasDisplay()) {
	say("Fetching Electron's binary …");
	await fetchElectron(root);
}
const why = whyNoApp();
process.exitCode = why === undefined ? await ended(await openApp()) : await serveInstead(why);

async function serveInstead(reason: string): Promise<number> {
	say(`The app can't open here: ${reason}. The window is served to a browser instead.`);
	await builtWindow(root);
	const open = hasDisplay() ? ["--open"] : [];
	return ended(
		spawn(process.execPath, [join(root, "agent", "cli", "main.ts"), "web", ...open], { stdio: "inherit" }),
	);
}

function hasDisplay(): boolean {
	return process.platform === "darwin" || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** Ctrl-C reaches the child as well; this waits for its end. */
async function ended(child: ChildProcess): Promise<number> {
	process.on("SIGINT", () => {});
	const [code] = (await once(child, "close")) as [number | null];
	return code ?? 0;
}

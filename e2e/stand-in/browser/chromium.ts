import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium } from "../../../build/setup/chromium.mjs";
import { NODE } from "../node-binary.ts";
import { type Cdp, connectCdp } from "./cdp.ts";

const KEEPER = fileURLToPath(new URL("./keeper.ts", import.meta.url));

const ARGUMENTS = [
	"--headless",
	"--no-sandbox",
	"--remote-debugging-port=0",
	"--no-first-run",
	"--no-startup-window",
	"--disable-gpu",
	"--disable-dev-shm-usage",
	"--disable-component-update",
	"--disable-background-networking",
	"--disable-popup-blocking",
	"--force-color-profile=srgb",
	"--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable",
];

export type Chromium = {
	readonly cdp: Promise<Cdp>;
	/** Ends it, and resolves when it and its files are gone. */
	close(): Promise<void>;
};

/** Starts the browser whose pages are the app's windows. */
export function startChromium(): Chromium {
	const browser = findChromium();
	if (browser === undefined)
		throw new Error("stand-in: there is no Chromium here; install one, or name it in OUTLIVE_CHROMIUM.");
	const profile = mkdtempSync(join(tmpdir(), "stand-in-"));
	const keeper = spawn(NODE, [KEEPER, profile, browser, ...ARGUMENTS, `--user-data-dir=${profile}`], {
		stdio: ["pipe", "ignore", "pipe"],
	});
	const cdp = devToolsAddress(keeper).then(connectCdp);
	// Whoever opens a window learns of it.
	cdp.catch(() => {});
	return {
		cdp,
		async close() {
			if (keeper.exitCode !== null) return;
			keeper.stdin?.end();
			await once(keeper, "exit");
		},
	};
}

async function devToolsAddress(keeper: ChildProcess): Promise<string> {
	let said = "";
	return new Promise((resolve, reject) => {
		let found = false;
		keeper.stderr!.setEncoding("utf8").on("data", (text: string) => {
			if (found) return;
			said += text;
			const address = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
			if (address === undefined) return;
			found = true;
			// Playwright waits for this line, as it does with Electron.
			process.stderr.write(`DevTools listening on ${address}\n`);
			resolve(address);
		});
		keeper.on("exit", () => reject(new Error(`stand-in: the browser ended at its start. It said: ${said}`)));
	});
}

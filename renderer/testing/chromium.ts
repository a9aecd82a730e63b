import { type Browser, chromium } from "playwright";
import { findChromium } from "../../build/setup/chromium.mjs";
import { keepProcesses } from "../../build/test/keep-processes.mjs";

/** As root there is no sandbox to have; the rest keeps a browser from reaching out by itself. */
const FLAGS = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
];

/** Starts the Chromium that tests run in. */
export function launchChromium(): Promise<Browser> {
	const executablePath = findChromium();
	if (executablePath === undefined) throw new Error("No Chromium was found; ask missingTool() first.");
	keepProcesses();
	return chromium.launch({ executablePath, args: FLAGS });
}

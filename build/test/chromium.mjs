import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { chromium } from "playwright";

/** By these names Linux has it on PATH. */
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC = [
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/**
 * The browser that tests drive: an installed Chromium or Chrome, else Playwright's own.
 *
 * @returns {string | undefined} its path; undefined when there is none
 */
export function findChromium() {
	const folders = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
	const onPath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
	const mac = process.platform === "darwin" ? MAC : [];
	return [...onPath, ...mac, chromium.executablePath()].find(isExecutable);
}

/** For a test's `skip` option: why there is no browser here, or false. */
export function missingChromium() {
	if (findChromium() !== undefined) return false;
	return process.platform === "darwin"
		? "Chrome or Chromium is not installed"
		: "chromium is not installed (apt-get install chromium)";
}

/** @param {string} path */
function isExecutable(path) {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		// Not here.
		return false;
	}
}

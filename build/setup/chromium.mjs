import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

const COMMANDS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const MAC_APPS = [
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Where Playwright keeps the Chromium it downloaded, in its newest version's folder. */
const PLAYWRIGHT_PLACES = {
	linux: [".cache/ms-playwright", ["chrome-linux/chrome", "chrome-linux64/chrome"]],
	darwin: [
		"Library/Caches/ms-playwright",
		[
			"chrome-mac/Chromium.app/Contents/MacOS/Chromium",
			"chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
		],
	],
};

/**
 * The Chromium that browser tests run in: `OUTLIVE_CHROMIUM`, else an installed Chromium or Chrome, else Playwright's
 * own.
 *
 * @param {{ platform?: string, env?: NodeJS.ProcessEnv, home?: string }} [system]
 * @returns {string | undefined} the path of its program
 */
export function findChromium({ platform = process.platform, env = process.env, home = homedir() } = {}) {
	const named = env.OUTLIVE_CHROMIUM ?? "";
	if (named !== "") return named;
	const onPath = COMMANDS.flatMap((command) =>
		(env.PATH ?? "").split(delimiter).map((folder) => join(folder, command)),
	);
	const places = [
		...onPath,
		...(platform === "darwin" ? MAC_APPS : []),
		...playwrightsOwn(platform, env, home),
	];
	return places.find(isProgram);
}

/** @param {string} platform @param {NodeJS.ProcessEnv} env @param {string} home */
function playwrightsOwn(platform, env, home) {
	const [cache, programs] = PLAYWRIGHT_PLACES[platform === "darwin" ? "darwin" : "linux"];
	const folder = env.PLAYWRIGHT_BROWSERS_PATH ?? join(home, /** @type {string} */ (cache));
	if (!existsSync(folder)) return [];
	const versions = readdirSync(folder).filter((name) => /^chromium-\d+$/.test(name));
	versions.sort((one, other) => Number(other.slice(9)) - Number(one.slice(9)));
	return versions.flatMap((name) =>
		/** @type {string[]} */ (programs).map((program) => join(folder, name, program)),
	);
}

/** @param {string} path */
function isProgram(path) {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		// Not there, or not to be run.
		return false;
	}
}

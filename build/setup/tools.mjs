import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { inForeground } from "../foreground.mjs";
import { findChromium } from "./chromium.mjs";
import { stoppedBy } from "./install.mjs";

/** @typedef {{ command: string, debian: string, brew?: string, use: string, find?: (env: NodeJS.ProcessEnv) => boolean }} Tool `find` tells whether it is there, where looking for the command on the PATH isn't enough */

/**
 * The programs that tests use and npm can't install. `brew` is absent where the thing exists on Linux only;
 * a test that needs it asks `missingTool` and skips with what that says.
 *
 * @type {readonly Tool[]}
 */
export const TOOLS = [
	{ command: "git", debian: "git", brew: "git", use: "snapshots of a project's files" },
	{ command: "rg", debian: "ripgrep", brew: "ripgrep", use: "the grep tool" },
	{
		command: "strace",
		debian: "strace",
		use: "showing that an intent is on the disk before its command runs",
	},
	{ command: "setpriv", debian: "util-linux", use: "dropping root before a permission test" },
	{ command: "unshare", debian: "util-linux", use: "a lost network and a full disk" },
	{
		command: "chromium",
		debian: "chromium",
		brew: "chromium",
		use: "the window, and the app on the stand-in for Electron",
		find: (env) => findChromium({ env }) !== undefined,
	},
];

/**
 * For a test's `skip` option: `test("…", { skip: missingTool("strace") }, …)`.
 *
 * @param {string} command one of the table's
 * @param {string} [path] a PATH
 * @returns {string | false} why the test can't run here, or false when the program is there
 */
export function missingTool(command, path = process.env.PATH) {
	const tool = TOOLS.find((each) => each.command === command);
	if (tool === undefined)
		throw new Error(`"${command}" is not in the table of build/setup/tools.mjs; add it there.`);
	if (isThere(tool, { ...process.env, PATH: path })) return false;
	if (process.platform !== "darwin") return `${command} is not installed (apt-get install ${tool.debian})`;
	return tool.brew === undefined
		? `${command} exists on Linux only`
		: `${command} is not installed (brew install ${tool.brew})`;
}

/**
 * What set-up does about the programs that tests use: nothing, install them (as root on CI, on a system with
 * apt-get), or say which command would.
 *
 * @param {{ platform: string, env: NodeJS.ProcessEnv, uid: number | undefined }} system
 * @returns {{ do: "nothing" } | { do: "install", packages: string[] } | { do: "tell", commands: string[], install: string }}
 */
export function planTools({ platform, env, uid }) {
	const missing = TOOLS.filter((tool) => !isThere(tool, env));
	if (platform === "darwin") {
		const packages = missing.flatMap((tool) => tool.brew ?? []);
		if (packages.length === 0) return { do: "nothing" };
		const commands = missing.filter((tool) => tool.brew !== undefined).map((tool) => tool.command);
		return { do: "tell", commands, install: `brew install ${packages.join(" ")}` };
	}
	if (missing.length === 0) return { do: "nothing" };
	const packages = [...new Set(missing.map((tool) => tool.debian))];
	if (uid === 0 && env.CI === "true" && isOnPath("apt-get", env.PATH)) return { do: "install", packages };
	const commands = missing.map((tool) => tool.command);
	return { do: "tell", commands, install: `sudo apt-get install ${packages.join(" ")}` };
}

/**
 * Carries the plan out. A program that can't be installed stops nothing: its tests skip and say so.
 *
 * @param {(line: string) => void} say
 * @returns {Promise<void>}
 * @throws {import("./install.mjs").SetupFailed} when it was asked to end
 */
export async function prepareTools(say) {
	const plan = planTools({ platform: process.platform, env: process.env, uid: process.getuid?.() });
	if (plan.do === "tell") {
		say(
			`Not installed: ${plan.commands.join(", ")}. The tests that need them are skipped; to run them: ${plan.install}`,
		);
	}
	if (plan.do === "install") {
		say(`Installing what tests use: apt-get install ${plan.packages.join(" ")}`);
		const installed =
			(await aptGet(["update", "-qq"])) &&
			(await aptGet(["install", "-y", "-qq", "--no-install-recommends", ...plan.packages]));
		if (!installed) say("apt-get failed; the tests that need these programs are skipped.");
	}
}

/** @param {string[]} args @returns {Promise<boolean>} whether it succeeded */
async function aptGet(args) {
	const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
	const run = await inForeground(() =>
		spawn("apt-get", args, { env, stdio: ["ignore", "ignore", 2], timeout: 10 * 60_000 }),
	);
	if (run.askedBy !== undefined) throw stoppedBy(run.askedBy);
	return run.code === 0;
}

/** @param {Tool} tool @param {NodeJS.ProcessEnv} env */
function isThere({ command, find }, env) {
	return find === undefined ? isOnPath(command, env.PATH) : find(env);
}

/** @param {string} command @param {string | undefined} path */
function isOnPath(command, path) {
	return (path ?? "").split(delimiter).some((folder) => {
		try {
			accessSync(join(folder, command), constants.X_OK);
			return folder !== "";
		} catch {
			// Not in this folder.
			return false;
		}
	});
}

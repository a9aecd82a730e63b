import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { checkClaudeCode } from "./claude-code.mjs";
import { homeOf } from "./places.mjs";

/** @typedef {import("./check.mjs").Check} Check */

/** @typedef {{ name: string, command: string, without: string, status: "info" | "warn" | "fail", fix: string }} Program */

/** @type {readonly Program[]} */
const PROGRAMS = [
	{
		name: "bash",
		command: "bash",
		without: "the bash tool can't run commands",
		status: "fail",
		fix: "Install bash.",
	},
	{
		name: "git",
		command: "git",
		without: "files that a session changed can't be shown or brought back",
		status: "warn",
		fix: "Install git.",
	},
	{
		name: "ripgrep",
		command: "rg",
		without: "searching in files is slower",
		status: "info",
		fix: "Install ripgrep.",
	},
];

/**
 * The programs that the product uses.
 *
 * @param {string | undefined} path a PATH
 * @param {NodeJS.Platform} platform
 * @returns {Check[]}
 */
export function checkPrograms(path, platform = process.platform) {
	return PROGRAMS.map(({ name, command, without, status, fix }) => {
		const found = findProgram(command, path);
		if (found === "/usr/bin/git" && platform === "darwin" && !hasDeveloperTools(path))
			return {
				name,
				status,
				detail: `${found} only offers to install Git: ${without}.`,
				fix: "Install it with: xcode-select --install",
			};
		if (found !== undefined) return { name, status: "ok", detail: found };
		return { name, status, detail: `${command} is not on the PATH: ${without}.`, fix };
	});
}

/**
 * Who can answer on this machine. Keys and model servers are the agent's to know: `outlive models` asks it.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Check[]>}
 */
export async function checkModels(env) {
	return [
		{ name: "model:scripted", status: "ok", detail: "Always there: no account, no network." },
		await checkClaudeCode(findProgram("claude", env.PATH), env),
	];
}

/**
 * Whether the system starts the agent by itself.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {NodeJS.Platform} platform
 * @returns {Check}
 */
export function checkService(env, platform) {
	const home = homeOf(env);
	const file =
		platform === "darwin"
			? join(home, "Library", "LaunchAgents", "outlive.agent.plist")
			: join(env.XDG_CONFIG_HOME || join(home, ".config"), "systemd", "user", "outlive.service");
	const kind = platform === "darwin" ? "launchd agent" : "systemd user unit";
	if (existsSync(file)) return { name: "service", status: "ok", detail: `Installed as a ${kind}: ${file}` };
	const detail = `Not installed as a ${kind}: after a reboot the agent starts with the first client.`;
	return { name: "service", status: "info", detail, fix: "To have it started: outlive service install." };
}

/**
 * On macOS `/usr/bin/git` opens an installer's window where the developer tools are missing; this asks without one.
 *
 * @param {string | undefined} path a PATH
 */
function hasDeveloperTools(path) {
	return spawnSync("xcode-select", ["-p"], { env: { PATH: path ?? "" }, stdio: "ignore" }).status === 0;
}

/** @param {string} command @param {string | undefined} path @returns {string | undefined} its absolute path */
function findProgram(command, path) {
	const candidates = (path ?? "").split(delimiter).filter(isAbsolute);
	return candidates.map((folder) => join(folder, command)).find(isProgram);
}

/** @param {string} path */
function isProgram(path) {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		// Missing or not to be run by this user.
		return false;
	}
}

import { spawn } from "node:child_process";

/** @typedef {import("./check.mjs").Check} Check */

/** As `agent/models/claude-code/version.ts` has it, which Node 20 can't read; a test holds the two together. */
export const NEEDED_VERSION = "2.1.332";

/** How long `claude` may take for one answer about itself, in ms. */
const ANSWER_MS = 5_000;

/** It looks at itself only: no update, no word to anyone. */
const QUIET = {
	CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
	DISABLE_TELEMETRY: "1",
	DISABLE_ERROR_REPORTING: "1",
	DISABLE_AUTOUPDATER: "1",
};

/**
 * Whether Claude Code can answer, in the words of the list of models: installed, recent enough, logged in. It is asked;
 * its login is never read.
 *
 * @param {string | undefined} program its absolute path; undefined when there is none
 * @param {NodeJS.ProcessEnv} env
 * @param {number} [answerMs] how long one answer may take, in ms
 * @returns {Promise<Check>}
 */
export async function checkClaudeCode(program, env, answerMs = ANSWER_MS) {
	const info = (/** @type {string} */ detail, /** @type {string} */ fix) =>
		/** @type {Check} */ ({ name: "model:claude-code", status: "info", detail, fix });
	if (program === undefined)
		return info(
			"Claude Code is not installed.",
			"Install Claude Code (https://claude.com/claude-code), then run claude and log in with /login.",
		);
	const version = /^(\d+\.\d+\.\d+)\b/.exec(
		(await ask(program, ["--version"], env, answerMs))?.trim() ?? "",
	)?.[1];
	if (version === undefined)
		return info(
			`${program} did not say which version of Claude Code it is.`,
			"Run claude --version to see what is wrong, or reinstall Claude Code.",
		);
	if (isOlderThan(version, NEEDED_VERSION))
		return info(
			`Claude Code ${version} is installed, but Outlive needs ${NEEDED_VERSION} or newer.`,
			"Run claude update.",
		);
	const loggedIn = isLoggedIn(await ask(program, ["auth", "status"], env, answerMs));
	if (loggedIn === undefined)
		return info(
			"Claude Code did not say whether it is logged in.",
			"Run claude auth status to see what is wrong.",
		);
	if (!loggedIn) return info("Claude Code is installed but not logged in.", "Run claude, then /login.");
	return { name: "model:claude-code", status: "ok", detail: `${program}, version ${version}, logged in.` };
}

/**
 * What it printed, whatever it ended with: it says "not logged in" with an exit code. Undefined when it could not be run
 * or took too long; then it is killed with all that it started, since `claude` may be a launcher.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {number} answerMs
 * @returns {Promise<string | undefined>}
 */
function ask(program, args, env, answerMs) {
	return new Promise((resolve) => {
		const child = spawn(program, args, {
			env: { ...env, ...QUIET },
			detached: true,
			stdio: ["ignore", "pipe", "ignore"],
		});
		let printed = "";
		const timer = setTimeout(() => {
			if (child.pid !== undefined) killGroup(child.pid);
			resolve(undefined);
		}, answerMs);
		child.stdout.setEncoding("utf8").on("data", (text) => {
			printed += text;
		});
		child.on("error", () => resolve(undefined));
		child.on("close", () => {
			clearTimeout(timer);
			resolve(printed);
		});
	});
}

/** @param {number} leader */
function killGroup(leader) {
	try {
		process.kill(-leader, "SIGKILL");
	} catch {
		// It has just ended by itself.
	}
}

/** @param {string | undefined} printed @returns {boolean | undefined} */
function isLoggedIn(printed) {
	try {
		const { loggedIn } = JSON.parse(printed ?? "");
		return typeof loggedIn === "boolean" ? loggedIn : undefined;
	} catch {
		// It printed something else, or nothing in time.
		return undefined;
	}
}

/** @param {string} version @param {string} other */
function isOlderThan(version, other) {
	const parts = version.split(".").map(Number);
	const others = other.split(".").map(Number);
	for (const [index, part] of parts.entries()) if (part !== others[index]) return part < (others[index] ?? 0);
	return false;
}

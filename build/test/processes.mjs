import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** Every process that a test file starts inherits this variable; its value tells the file. */
export const MARK = "OUTLIVE_TEST_FILE";

/** The end of an agent's command line, from the sources or from a bundle. */
const AGENT = /\/agent(\/main\.ts|\.js)$/;

/** @typedef {{ pid: number, command: string }} Survivor */

/**
 * The processes of a test file that are still there after it has ended, given a moment to end by themselves.
 *
 * @param {string} mark the file's value of `MARK`
 * @param {number} patience milliseconds
 * @returns {Promise<Survivor[]>} on Linux also those that left the file's process group; elsewhere none
 */
export async function survivors(mark, patience) {
	const deadline = performance.now() + patience;
	for (;;) {
		const found = marked(mark);
		if (found.length === 0 || performance.now() > deadline) return found;
		await wait(25);
	}
}

/** @param {string} mark what the mark begins with @returns {Survivor[]} without this process */
function marked(mark) {
	return withVariable(`${MARK}=${mark}`);
}

/** @param {string} text how the variable in their environment begins, its name included @returns {Survivor[]} */
function withVariable(text) {
	if (process.platform !== "linux") return [];
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
		.flatMap((name) => {
			try {
				const environment = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
				if (!environment.some((each) => each.startsWith(text))) return [];
				const command = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").join(" ").trim();
				return [{ pid: Number(name), command }];
			} catch {
				// It ended while it was looked at, or it belongs to somebody else.
				return [];
			}
		});
}

/**
 * Ends a test file's process group and everything that left it.
 *
 * @param {number} group the pid of the file's process, which leads its group
 * @param {string} mark the file's value of `MARK`
 */
export function killAll(group, mark) {
	kill(-group);
	endMarked(mark);
}

/**
 * Ends every process that bears a mark.
 *
 * @param {string} mark what the mark begins with
 */
export function endMarked(mark) {
	for (const { pid } of marked(mark)) kill(pid);
}

/**
 * Ends the commands that a test's sessions have left running on purpose, in a home of the test's own.
 *
 * @param {string} home absolute
 */
export function endCommandsIn(home) {
	const ofHome = new Set(withVariable(`HOME=${home}`).map(({ pid }) => pid));
	for (const { pid } of withVariable("OUTLIVE_CALL=")) if (ofHome.has(pid)) kill(pid);
}

/**
 * Ends every agent that was started in a home of a test's own, also one that is only just starting, with its commands,
 * and waits until nothing there runs any more: what else a test started ends by itself, and may have to tidy up first.
 * On Linux only.
 *
 * @param {string} home absolute
 * @param {number} [patience] milliseconds, after which everything is ended
 */
export async function endAgentsIn(home, patience = 20_000) {
	const deadline = performance.now() + patience;
	for (;;) {
		const found = withVariable(`HOME=${home}`);
		if (found.length === 0) return;
		const isLate = performance.now() > deadline;
		for (const { pid, command } of found) if (isLate || AGENT.test(command)) kill(pid);
		endCommandsIn(home);
		await wait(10);
	}
}

/** @param {number} pid */
function kill(pid) {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// Already gone.
	}
}

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { MARK } from "./processes.mjs";

const KEEPER = fileURLToPath(new URL("./keeper.mjs", import.meta.url));

/** @type {((folder: string) => void) | undefined} */
let removeWithKeeper;

/**
 * Has everything that this process starts from now on end with it, agents and the commands of their sessions too, which
 * otherwise live on by design. They are known by a mark in their environment, which each must inherit: whoever starts
 * one with an environment of its own passes `OUTLIVE_TEST_FILE` on. Below a test run that has marked its processes this
 * does nothing, since that run ends them.
 *
 * On Linux only; elsewhere nothing tells what a process has inherited.
 *
 * @returns {string} the mark of this process's children
 */
export function keepProcesses() {
	const given = process.env[MARK];
	if (given !== undefined) return given;
	const mark = newMark();
	process.env[MARK] = mark;
	removeWithKeeper = startKeeper(mark);
	return mark;
}

/**
 * Has a folder removed when this process is gone, if it is there still; only where this process keeps its own.
 *
 * @param {string} folder absolute
 */
export function keepFolder(folder) {
	removeWithKeeper?.(folder);
}

/** @returns {string} what no other run's marks begin with */
export function newMark() {
	return `${process.pid}.${Date.now().toString(36)}-`;
}

/**
 * Starts the process that ends all marked ones when this one is gone.
 *
 * @param {string} mark what their marks begin with
 * @returns {(folder: string) => void} has a folder removed then
 */
export function startKeeper(mark) {
	if (process.platform !== "linux") return () => {};
	const keeper = spawn(process.execPath, [KEEPER, mark], {
		detached: true,
		stdio: ["pipe", "ignore", "ignore"],
	});
	// It ends after this process, not before it.
	keeper.unref();
	const { stdin } = keeper;
	/** @type {import("node:net").Socket} */ (/** @type {unknown} */ (stdin)).unref();
	return (folder) => stdin.write(`${folder}\n`);
}

/** @returns {Record<string, string>} the mark, for a child that gets an environment of its own */
export function markOfProcesses() {
	const mark = process.env[MARK];
	return mark === undefined ? {} : { [MARK]: mark };
}

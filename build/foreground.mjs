import { constants } from "node:os";

/** Ctrl-C is not among them: a terminal sends it to the whole process group, so that the program has it already. */
const ASKED_TO_END = /** @type {const} */ (["SIGTERM", "SIGHUP"]);

/** How often is looked whether npm is still there, in ms. */
const LOOK_MS = 250;
const PARENT = process.ppid;

/**
 * How a program ended: with a code, by a signal, or it could not be started. `askedBy` is the signal by which this
 * process was asked to end meanwhile; its caller should then do nothing more than end.
 *
 * @typedef {object} End
 * @property {number | null} code
 * @property {NodeJS.Signals | null} signal
 * @property {Error | undefined} error
 * @property {NodeJS.Signals | undefined} askedBy
 */

/**
 * Runs a program in the place of this one, with this one's terminal, to its end. When this process is asked to end it
 * asks the program to, and still waits, so that nothing stays behind.
 *
 * @param {() => import("node:child_process").ChildProcess} start called at once. What is heard is heard from before it
 *   on: a signal that came between a start and the listening would end this process and leave the program.
 * @returns {Promise<End>}
 */
export function inForeground(start) {
	return new Promise((resolve) => {
		/** @type {NodeJS.Signals | undefined} */
		let askedBy;
		const ignoreCtrlC = () => {};
		process.on("SIGINT", ignoreCtrlC);
		const listenNoMore = whenAskedToEnd((signal) => {
			askedBy = signal;
			child.kill(signal);
		});
		const end = (/** @type {Omit<End, "askedBy">} */ how) => {
			listenNoMore();
			process.off("SIGINT", ignoreCtrlC);
			resolve({ ...how, askedBy });
		};
		const child = start();
		child.once("error", (error) => end({ code: null, signal: null, error }));
		child.once("close", (code, signal) => end({ code, signal, error: undefined }));
	});
}

/**
 * What a shell would make of such an end.
 *
 * @param {End} end
 * @returns {number} an exit code
 */
export function exitCodeOf({ code, signal }) {
	if (signal !== null) return 128 + constants.signals[signal];
	return code ?? 1;
}

/**
 * Takes over what happens when this process is asked to end: by a signal, or by the end of the npm whose script it is. A
 * signal that ends npm may end the shell between npm and this process, and never come here.
 *
 * @param {(signal: NodeJS.Signals) => void} run for every time that it is asked
 * @returns {() => void} leaves it to the system again
 */
export function whenAskedToEnd(run) {
	for (const signal of ASKED_TO_END) process.on(signal, run);
	const look =
		process.env.npm_lifecycle_event === undefined ? undefined : whenParentEnds(() => run("SIGHUP"));
	return () => {
		for (const signal of ASKED_TO_END) process.off(signal, run);
		clearInterval(look);
	};
}

/** @param {() => void} run @returns {NodeJS.Timeout} what looks for it */
function whenParentEnds(run) {
	const look = setInterval(() => {
		if (process.ppid === PARENT) return;
		clearInterval(look);
		run();
	}, LOOK_MS);
	return look.unref();
}

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
 * Waits for the end of a program that runs in the place of this one, with this one's terminal. When this process is
 * asked to end it asks the program to, and still waits, so that nothing stays behind. Call it in the same step in which
 * the program was started.
 *
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<End>}
 */
export function inForeground(child) {
	/** @type {NodeJS.Signals | undefined} */
	let askedBy;
	const ignoreCtrlC = () => {};
	process.on("SIGINT", ignoreCtrlC);
	const listenNoMore = whenAskedToEnd((signal) => {
		askedBy = signal;
		child.kill(signal);
	});
	return new Promise((resolve) => {
		const end = (/** @type {Omit<End, "askedBy">} */ how) => {
			listenNoMore();
			process.off("SIGINT", ignoreCtrlC);
			resolve({ ...how, askedBy });
		};
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

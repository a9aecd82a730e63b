import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makePlace, testEnvironment } from "./place.mjs";
import { problemsOf } from "./problems.mjs";
import { killAll, MARK, survivors } from "./processes.mjs";

/** @typedef {import("./reporter.mjs").TestEvent} TestEvent */
/** @typedef {{ path: string[], status: "passed" } | { path: string[], status: "skipped", reason: string } | { path: string[], status: "failed", error: string }} TestResult */
/** @typedef {{ file: string, results: TestResult[], output: string, seconds: number }} FileReport */

const REPORTER = fileURLToPath(new URL("./reporter.mjs", import.meta.url));
/** How long a process may take to end after the test file that started it. */
const PATIENCE = 5000;
const OUTPUT_LIMIT = 64 * 1024;

/**
 * Runs one test file in a process group of its own, with an empty home and an empty temporary folder, and looks
 * afterwards whether it left processes or files behind.
 *
 * @param {object} run
 * @param {string} run.node the Node to run it with
 * @param {string} run.root the project's folder, also the working directory
 * @param {string} run.file the test file, relative to the root
 * @param {number} run.timeLimit seconds, after which everything it started is killed
 * @param {string} run.run what the marks of this run's processes begin with
 * @param {(folder: string) => void} run.keepFolder is told of the folder that the file's own are in
 * @param {AbortSignal} [run.signal] ends it early, in the same way
 * @returns {Promise<FileReport>}
 */
export async function runFile({ node, root, file, timeLimit, run, keepFolder, signal }) {
	const began = performance.now();
	const place = makePlace();
	keepFolder(place.base);
	try {
		const mark = `${run}${place.base}`;
		const env = testEnvironment(process.env, { [MARK]: mark, HOME: place.home, TMPDIR: place.temporary });
		const args = [`--test-reporter=${REPORTER}`, `--test-reporter-destination=${place.events}`, file];
		const child = spawn(node, args, { cwd: root, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
		const group = child.pid ?? fail(`${node} could not be started`);
		const output = collect(child);
		const stopped = await ended(child, timeLimit * 1000, signal, () => killAll(group, mark));
		const left = await survivors(mark, PATIENCE);
		killAll(group, mark);
		await survivors(mark, PATIENCE);
		const events = readEvents(place.events);
		const results = [
			...events.flatMap(resultOf),
			...problemsOf({ child, events, stopped, timeLimit, left, files: readdirSync(place.temporary) }),
		];
		return { file, results, output: output(), seconds: (performance.now() - began) / 1000 };
	} finally {
		rmSync(place.base, { recursive: true, force: true });
	}
}

/** @param {import("node:child_process").ChildProcess} child @returns {() => string} what it printed last */
function collect(child) {
	let text = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding("utf8").on("data", (chunk) => {
			text = (text + chunk).slice(-OUTPUT_LIMIT);
		});
	}
	return () => text;
}

/**
 * Waits until the file's process has ended, not until its output is closed: a child may hold that open.
 *
 * @param {import("node:child_process").ChildProcess} child
 * @param {number} limit milliseconds
 * @param {AbortSignal | undefined} signal
 * @param {() => void} stop
 * @returns {Promise<"time limit" | "interrupted" | undefined>} why it was stopped, if it was
 */
async function ended(child, limit, signal, stop) {
	/** @type {"time limit" | "interrupted" | undefined} */
	let reason;
	const stopFor = (/** @type {"time limit" | "interrupted"} */ why) => {
		reason = why;
		stop();
	};
	const interrupt = () => stopFor("interrupted");
	const timer = setTimeout(stopFor, limit, "time limit");
	signal?.addEventListener("abort", interrupt);
	await once(child, "exit");
	clearTimeout(timer);
	signal?.removeEventListener("abort", interrupt);
	return reason;
}

/** @param {string} file @returns {TestEvent[]} a line that the end of the process cut off is left out */
function readEvents(file) {
	const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
	return lines.map((line) => JSON.parse(line));
}

/** @param {TestEvent} event @returns {TestResult[]} */
function resultOf(event) {
	if (event.event !== "ended") return [];
	const { event: _, ...result } = event;
	return [result];
}

/** @param {string} message @returns {never} */
function fail(message) {
	throw new Error(message);
}

/** @typedef {import("./reporter.mjs").TestEvent} TestEvent */
/** @typedef {import("./run-file.mjs").TestResult} TestResult */

/**
 * What is wrong with a file beside the tests in it.
 *
 * @param {object} end
 * @param {import("node:child_process").ChildProcess} end.child
 * @param {TestEvent[]} end.events
 * @param {"time limit" | "interrupted" | undefined} end.stopped
 * @param {number} end.timeLimit
 * @param {import("./processes.mjs").Survivor[]} end.left
 * @param {string[]} end.files
 * @returns {TestResult[]}
 */
export function problemsOf({ child, events, stopped, timeLimit, left, files }) {
	const problem = (/** @type {string} */ name, /** @type {string} */ error) =>
		/** @type {TestResult} */ ({ path: [name], status: "failed", error });
	if (stopped === "interrupted") return [problem("is not interrupted", "It was interrupted.")];
	if (stopped === "time limit") {
		const text = `It was killed after ${timeLimit} s. Still running: ${unfinished(events) || "no test"}.`;
		return [problem("ends in time", text)];
	}
	const problems = [];
	const results = events.filter((event) => event.event === "ended");
	if (child.exitCode !== 0 && !results.some((event) => event.status === "failed")) {
		const how = child.signalCode === null ? `with code ${child.exitCode}` : `by ${child.signalCode}`;
		const remarks = events.flatMap((event) => (event.event === "remark" ? event.text : []));
		problems.push(problem("ends well", [`Its process ended ${how}.`, ...remarks].join("\n")));
	} else if (results.length === 0) {
		problems.push(problem("holds a test", "No test ran in it."));
	}
	if (left.length > 0) {
		const list = left.map(({ pid, command }) => `${pid} ${command}`);
		problems.push(
			problem("leaves no process behind", ["These went on, and were killed:", ...list].join("\n")),
		);
	}
	if (files.length > 0) {
		problems.push(problem("leaves no file behind", `In the temporary folder: ${files.join(", ")}`));
	}
	return problems;
}

/**
 * The innermost tests that began and did not end. What holds others doesn't report its own end when all went
 * well, so it counts only if nothing in it does.
 *
 * @param {TestEvent[]} events
 */
function unfinished(events) {
	const began = events.flatMap((event) => (event.event === "began" ? event.path.join(" › ") : []));
	const open = new Set(began);
	for (const event of events) if (event.event === "ended") open.delete(event.path.join(" › "));
	const innermost = [...open].filter((name) => !began.some((other) => other.startsWith(`${name} › `)));
	return (innermost.length > 0 ? innermost : [...open]).join(", ");
}

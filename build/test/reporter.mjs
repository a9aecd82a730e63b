import { inspect } from "node:util";

/**
 * @typedef {{ event: "began", path: string[] }
 *   | { event: "ended", path: string[], status: "passed" }
 *   | { event: "ended", path: string[], status: "skipped", reason: string }
 *   | { event: "ended", path: string[], status: "failed", error: string }
 *   | { event: "remark", text: string }} TestEvent
 *   `path` is the test's name after the names of what it stands in
 */

/** The totals that node:test sends as remarks at the end. */
const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /;

/**
 * A reporter for node:test: one line of JSON for each test that begins and for each that has ended. Suites, and
 * tests that failed only because a test in them did, are not reported: what stands in them is.
 *
 * @param {AsyncIterable<import("node:test/reporters").TestEvent>} source
 */
export default async function* reporter(source) {
	// Tests are reported in the order of the file, whatever order they ran in: two orders, two lists of names.
	/** @type {string[]} */
	const running = [];
	/** @type {string[]} */
	const reported = [];
	for await (const event of source) {
		if (event.type === "test:dequeue") {
			running[event.data.nesting] = event.data.name;
			yield line({ event: "began", path: running.slice(0, event.data.nesting + 1) });
		}
		if (event.type === "test:start") reported[event.data.nesting] = event.data.name;
		if (event.type === "test:diagnostic" && !COUNT.test(event.data.message)) {
			yield line({ event: "remark", text: event.data.message });
		}
		if (event.type === "test:pass" || event.type === "test:fail") {
			const path = [...reported.slice(0, event.data.nesting), event.data.name];
			const ended = outcome(event, path);
			if (ended !== undefined) yield line(ended);
		}
	}
}

/**
 * @param {Extract<import("node:test/reporters").TestEvent, { type: "test:pass" | "test:fail" }>} event
 * @param {string[]} path
 * @returns {TestEvent | undefined}
 */
function outcome({ type, data }, path) {
	const reason = data.skip ?? data.todo;
	if (reason !== undefined && reason !== false) {
		const text = typeof reason === "string" ? reason : "no reason given";
		return { event: "ended", path, status: "skipped", reason: text };
	}
	if (type === "test:pass") {
		return data.details.type === "suite" ? undefined : { event: "ended", path, status: "passed" };
	}
	const error = /** @type {Error & { failureType?: string, cause?: unknown }} */ (data.details.error);
	if (error.failureType === "subtestsFailed") return undefined;
	return { event: "ended", path, status: "failed", error: describe(error.cause ?? error) };
}

/** @param {unknown} error */
function describe(error) {
	const text = error instanceof Error ? inspect(error, { breakLength: 110 }) : String(error);
	return text
		.split("\n")
		.filter((each) => !/^\s+at .*\(?node:internal/.test(each))
		.join("\n");
}

/** @param {TestEvent} event */
function line(event) {
	return `${JSON.stringify(event)}\n`;
}

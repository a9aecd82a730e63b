/** @typedef {import("./run-file.mjs").FileReport} FileReport */
/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * What a run says about one file when it has ended: a line, and under it what failed.
 *
 * @param {FileReport} report
 * @returns {string}
 */
export function describeFile({ file, results, output, seconds }) {
	const { passed, failed, skipped } = count(results);
	const parts = [`${passed} passed`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`];
	const head = `${failed > 0 ? "FAIL" : "ok  "}  ${file}  ${parts.filter(Boolean).join(", ")} (${seconds.toFixed(1)} s)`;
	if (failed === 0) return head;
	const failures = results.flatMap((result) =>
		result.status === "failed" ? [`  ✗ ${result.path.join(" › ")}`, indent(result.error, 6)] : [],
	);
	const printed = output.trim() === "" ? [] : ["  It printed:", indent(output.trim(), 6)];
	return [head, ...failures, ...printed].join("\n");
}

/**
 * What a run says at its end: every skipped test with its reason, every failed one by name, and the line that
 * counts them.
 *
 * @param {FileReport[]} reports
 * @returns {string}
 */
export function describeRun(reports) {
	/** @type {string[]} */
	const skipped = [];
	/** @type {string[]} */
	const failed = [];
	for (const { file, results } of reports) {
		for (const result of results) {
			const name = `  ${file}: ${result.path.join(" › ")}`;
			if (result.status === "skipped") skipped.push(`${name}: ${result.reason}`);
			if (result.status === "failed") failed.push(name);
		}
	}
	const total = count(reports.flatMap(({ results }) => results));
	return [
		"",
		...(skipped.length > 0 ? ["Skipped:", ...skipped, ""] : []),
		...(failed.length > 0 ? ["Failed:", ...failed, ""] : []),
		`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`,
	].join("\n");
}

/**
 * @param {readonly { status: "passed" | "failed" | "skipped" }[]} results
 * @returns {Counts}
 */
export function count(results) {
	const counts = { passed: 0, failed: 0, skipped: 0 };
	for (const { status } of results) counts[status] += 1;
	return counts;
}

/** @param {string} text @param {number} width */
function indent(text, width) {
	return text.replace(/^(?=.)/gm, " ".repeat(width));
}

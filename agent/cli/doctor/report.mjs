/** @typedef {import("./check.mjs").Check} Check */

const LABEL = { ok: "ok  ", info: "note", warn: "WARN", fail: "FAIL" };

/**
 * What the doctor found, for a person: a line for each check, under it what to do, at the end a sum.
 *
 * @param {readonly Check[]} checks
 * @returns {string}
 */
export function describe(checks) {
	const width = Math.max(...checks.map(({ name }) => name.length));
	const lines = checks.flatMap(({ name, status, detail, fix }) => {
		const line = `${LABEL[status]}  ${name.padEnd(width)}  ${detail}`;
		return fix === undefined ? [line] : [line, `${" ".repeat(width + 8)}${fix}`];
	});
	return [...lines, "", sum(checks)].join("\n");
}

/** @param {readonly Check[]} checks */
function sum(checks) {
	const failed = checks.filter(({ status }) => status === "fail").length;
	const warned = checks.filter(({ status }) => status === "warn").length;
	if (failed > 0) return `${things(failed)} must be put right before sessions can work.`;
	if (warned > 0) return `Sessions work; ${things(warned)} could be better.`;
	return "Nothing is wrong.";
}

/** @param {number} count */
function things(count) {
	return count === 1 ? "One thing" : `${count} things`;
}

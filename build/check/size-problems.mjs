/** A file of more lines holds more than one idea. Tests may be longer. */
const FILE_LIMIT = 400;

/**
 * The harness is kept small enough to be read whole. Counted are the lines that hold code: not its tests, what only
 * tests use, the suites that storages and environments are checked with, and the examples; not blank lines and
 * comments, which are there to make it easier to read; not imports, of which small files need the more.
 */
const HARNESS = "agent/durable/";
const HARNESS_LIMIT = 15_000;
const FOR_TESTS = /\/testing\/|\/conformance\/|conformance\.ts$|\/test-support\.ts$|\/examples\//;

/**
 * @param {{ file: string, text: string }[]} files
 * @returns {string[]} a sentence for each file that is too long, and for a harness that is
 */
export function sizeProblems(files) {
	const sizes = files
		.filter(({ file }) => !/\.test\.\w+$/.test(file))
		.map(({ file, text }) => ({ file, lines: text.split("\n").length - 1, code: linesOfCode(text) }));
	const long = sizes
		.filter(({ lines }) => lines > FILE_LIMIT)
		.map(
			({ file, lines }) => `${file} has ${lines} lines; split it by its ideas (at most ${FILE_LIMIT} each).`,
		);
	const harness = sizes
		.filter(({ file }) => file.startsWith(HARNESS) && !FOR_TESTS.test(file))
		.reduce((sum, { code }) => sum + code, 0);
	if (harness <= HARNESS_LIMIT) return long;
	return [
		...long,
		`${HARNESS} has ${harness} lines of code without its tests; at most ${HARNESS_LIMIT} can be read whole.`,
	];
}

/** @param {string} text */
function linesOfCode(text) {
	const body = text.replace(/^import [^;]*;$/gm, "");
	return body.split("\n").filter((line) => !/^\s*(\/\/|\/\*|\*|$)/.test(line)).length;
}

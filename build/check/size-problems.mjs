/** A file of more lines holds more than one idea. Tests may be longer. */
const FILE_LIMIT = 400;

/** The harness is kept small enough to be read whole; its tests don't count. */
const HARNESS = "agent/durable/";
const HARNESS_LIMIT = 15_000;

/**
 * @param {{ file: string, text: string }[]} files
 * @returns {string[]} a sentence for each file that is too long, and for a harness that is
 */
export function sizeProblems(files) {
	const sizes = files
		.filter(({ file }) => !/\.test\.\w+$/.test(file))
		.map(({ file, text }) => ({ file, lines: text.split("\n").length - 1 }));
	const long = sizes
		.filter(({ lines }) => lines > FILE_LIMIT)
		.map(
			({ file, lines }) => `${file} has ${lines} lines; split it by its ideas (at most ${FILE_LIMIT} each).`,
		);
	const harness = sizes
		.filter(({ file }) => file.startsWith(HARNESS))
		.reduce((sum, { lines }) => sum + lines, 0);
	if (harness <= HARNESS_LIMIT) return long;
	return [
		...long,
		`${HARNESS} has ${harness} lines without its tests; at most ${HARNESS_LIMIT} can be read whole.`,
	];
}

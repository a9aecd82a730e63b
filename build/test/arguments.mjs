/**
 * @typedef {object} TestArguments
 * @property {string[]} patterns parts of file paths; empty means every file
 * @property {boolean} checks whether types, lint and the like run too
 * @property {number} timeLimit seconds that one file may take
 * @property {string | undefined} root the project's folder, when it isn't the one the runner stands in
 */

const DEFAULT_TIME_LIMIT = 300;

/**
 * Reads `npm test -- …`. A pattern narrows the run to the test files whose path contains it, without checks.
 *
 * @param {string[]} args
 * @returns {TestArguments}
 * @throws {Error} on an option that doesn't exist, with the list of those that do
 */
export function parseArguments(args) {
	/** @type {TestArguments} */
	const parsed = { patterns: [], checks: true, timeLimit: DEFAULT_TIME_LIMIT, root: undefined };
	const rest = [...args];
	for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
		if (arg === "--no-checks") parsed.checks = false;
		else if (arg === "--time-limit") parsed.timeLimit = positiveNumber(rest.shift());
		else if (arg === "--root") parsed.root = rest.shift();
		else if (arg.startsWith("-")) throw new Error(`Unknown option ${arg}. ${USAGE}`);
		else parsed.patterns.push(arg);
	}
	if (parsed.patterns.length > 0) parsed.checks = false;
	return parsed;
}

const USAGE = "Use: npm test -- [--no-checks] [--time-limit SECONDS] [--root DIR] [PART-OF-A-PATH …]";

/** @param {string | undefined} text */
function positiveNumber(text) {
	const value = Number(text);
	if (!(value > 0)) throw new Error(`--time-limit takes a number of seconds above 0. ${USAGE}`);
	return value;
}

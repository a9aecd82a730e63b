/**
 * `npm test`: the checks, then every test file, as many at once as there are cores. Ends with the one line
 * `N passed, N failed, N skipped`, in which each check counts as a test; ends with 1 when anything failed.
 * See arguments.mjs for what can be asked of it.
 */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { CHECKS, runCheck } from "./checks.mjs";
import { whenAskedToEnd } from "./foreground.mjs";
import { pinnedNode } from "./pinned-node.mjs";
import { parseArguments } from "./test/arguments.mjs";
import { findTestFiles } from "./test/find-files.mjs";
import { inParallel } from "./test/in-parallel.mjs";
import { newMark, startKeeper } from "./test/keep-processes.mjs";
import { MARK } from "./test/processes.mjs";
import { count, describeFile, describeRun } from "./test/report.mjs";
import { runFile } from "./test/run-file.mjs";

/** @typedef {import("./test/run-file.mjs").FileReport} FileReport */

const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
whenAskedToEnd(() => stop.abort());

try {
	process.exitCode = await main(process.argv.slice(2));
} catch (error) {
	process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
	process.exitCode = 2;
}

/** @param {string[]} args @returns {Promise<number>} the exit code */
async function main(args) {
	const { patterns, checks, timeLimit, root = ownRoot() } = parseArguments(args);
	const node = pinnedNode(root);
	if (!existsSync(node)) throw new Error("Nothing is installed yet. Run: node build/setup.mjs");
	const files = findTestFiles(root, patterns);
	if (files.length === 0)
		throw new Error(`No test file has ${patterns.join(" or ") || ".test.ts"} in its path.`);

	// Whatever becomes of this process, nothing that it starts stays behind.
	const run = newMark();
	const keepFolder = startKeeper(run);
	process.env[MARK] ??= `${run}check`;
	/** @type {(() => Promise<FileReport>)[]} */
	const jobs = [
		...(checks ? CHECKS : []).map((check) => () => checkAsReport(root, check)),
		...files.map(
			(file) => () => runFile({ node, root, file, timeLimit, run, keepFolder, signal: stop.signal }),
		),
	];
	const reports = await inParallel(availableParallelism(), jobs, stop.signal, (report) => {
		process.stdout.write(`${describeFile(report)}\n`);
	});
	process.stdout.write(`${describeRun(reports)}\n`);
	if (stop.signal.aborted) return 130;
	return count(reports.flatMap(({ results }) => results)).failed > 0 ? 1 : 0;
}

/** @param {string} root @param {import("./checks.mjs").Check} check @returns {Promise<FileReport>} */
async function checkAsReport(root, check) {
	const { ok, output, seconds } = await runCheck(root, check, stop.signal);
	const path = [check.says];
	const result = ok
		? { path, status: /** @type {const} */ ("passed") }
		: { path, status: /** @type {const} */ ("failed"), error: output.trimEnd() };
	return { file: `check:${check.name}`, results: [result], output: "", seconds };
}

function ownRoot() {
	return dirname(dirname(fileURLToPath(import.meta.url)));
}

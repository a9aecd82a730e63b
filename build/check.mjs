/**
 * `npm run check`: every check, or those that are named: `node build/check.mjs lint format`.
 * Prints a line for each and what it found; ends with 1 when any found something.
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { CHECKS, runCheck } from "./checks.mjs";
import { whenAskedToEnd } from "./foreground.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const names = process.argv.slice(2);
const unknown = names.find((name) => !CHECKS.some((check) => check.name === name));
if (unknown !== undefined) {
	process.stderr.write(
		`There is no check "${unknown}"; there are: ${CHECKS.map(({ name }) => name).join(", ")}.\n`,
	);
	process.exit(2);
}

const stop = new AbortController();
whenAskedToEnd(() => stop.abort());
for (const check of CHECKS.filter(({ name }) => names.length === 0 || names.includes(name))) {
	const { ok, output, seconds } = await runCheck(root, check, stop.signal);
	if (stop.signal.aborted) process.exit(130);
	process.stdout.write(`${ok ? "ok  " : "FAIL"}  ${check.name}: ${check.says} (${seconds.toFixed(1)} s)\n`);
	if (!ok) {
		process.stdout.write(`${output.trimEnd()}\n`);
		process.exitCode = 1;
	}
}

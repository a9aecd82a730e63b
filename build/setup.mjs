/**
 * Set-up: runs before every npm script that needs it, on any Node from 20 on, before anything is installed.
 * It speaks on standard error only, and says nothing when there is nothing to do.
 *
 * `node build/setup.mjs [--for-tests]`; with `--for-tests` it also looks after the programs that tests use.
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { prepareClaude } from "./setup/claude-code.mjs";
import { install, SetupFailed } from "./setup/install.mjs";
import { LockHeld } from "./setup/lock.mjs";
import { prepareTools } from "./setup/tools.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const say = (/** @type {string} */ line) => process.stderr.write(`set-up: ${line}\n`);

try {
	await install(root, say);
	if (process.argv.includes("--for-tests")) {
		await prepareTools(say);
		await prepareClaude(root, say);
	}
} catch (error) {
	if (!(error instanceof SetupFailed || error instanceof LockHeld)) throw error;
	say(error.message);
	process.exitCode = 1;
}

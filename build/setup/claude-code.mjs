import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { inForeground } from "../foreground.mjs";
import { npmEnvironment, stoppedBy } from "./install.mjs";
import { withLock } from "./lock.mjs";

/** The Claude Code that the tests run. The product uses the person's own and carries none. */
const VERSION = "2.1.332";

/** How long fetching it may take, in ms; it has 400 MB. */
const LIMIT_MS = 10 * 60_000;

/** @param {string} root the project's folder @returns {string} where it is kept: outside node_modules and the lock file */
const placeOf = (root) => join(root, ".outlive", "cache", `claude-code-${VERSION}`);

/**
 * The `claude` that tests run.
 *
 * @param {string} root the project's folder
 * @returns {string | undefined} its program; undefined when set-up could not get it
 */
export function testClaude(root) {
	const packages = join(placeOf(root), "node_modules", "@anthropic-ai");
	if (!existsSync(packages)) return undefined;
	return readdirSync(packages)
		.map((name) => join(packages, name, "claude"))
		.find((program) => existsSync(program));
}

/**
 * For a test's `skip` option.
 *
 * @param {string} root the project's folder
 * @returns {string | false} why the test can't run here, or false when the program is there
 */
export function missingClaude(root) {
	if (testClaude(root) !== undefined) return false;
	return `Claude Code ${VERSION} could not be had (with a network: node build/setup.mjs --for-tests)`;
}

/**
 * Fetches it once, by npm and without any script of it. When that fails, nothing stops: its tests skip and say so.
 *
 * @param {string} root the project's folder
 * @param {(line: string) => void} say
 * @returns {Promise<void>}
 * @throws {import("./install.mjs").SetupFailed} when it was asked to end
 */
export async function prepareClaude(root, say) {
	if (testClaude(root) !== undefined) return;
	const place = placeOf(root);
	mkdirSync(dirname(place), { recursive: true });
	await withLock(`${place}.lock`, async () => {
		if (testClaude(root) === undefined) await fetchInto(place, say);
	});
}

/** @param {string} place @param {(line: string) => void} say */
async function fetchInto(place, say) {
	say(`Fetching Claude Code ${VERSION} for the tests (400 MB, once)`);
	const draft = mkdtempSync(`${place}-`);
	const args = ["install", "--prefix", draft, "--ignore-scripts", "--no-save", "--no-audit", "--no-fund"];
	const run = await inForeground(() =>
		spawn("npm", [...args, "--fetch-retries=1", "--loglevel=error", `@anthropic-ai/claude-code@${VERSION}`], {
			cwd: draft,
			env: npmEnvironment(process.env),
			stdio: ["ignore", 2, 2],
			timeout: LIMIT_MS,
		}),
	);
	if (run.code === 0) {
		rmSync(place, { recursive: true, force: true });
		renameSync(draft, place);
		return;
	}
	rmSync(draft, { recursive: true, force: true });
	if (run.askedBy !== undefined) throw stoppedBy(run.askedBy);
	say("It could not be fetched; the tests that need it are skipped.");
}

import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { inForeground } from "../foreground.mjs";
import { pinnedNode, pinnedNodeVersion } from "../pinned-node.mjs";
import { fingerprint, treeMatchesLock } from "./fingerprint.mjs";
import { setupLock, withLock } from "./lock.mjs";

/** A set-up that could not be finished; the message is for a person and says what to do. */
export class SetupFailed extends Error {}

/**
 * Makes node_modules what package-lock.json says, when it isn't already, with the pinned Node in it. Safe to
 * run twice at once.
 *
 * @param {string} root the project's folder
 * @param {(line: string) => void} say is told each thing that is done, and nothing when nothing is
 * @returns {Promise<void>}
 * @throws {SetupFailed} when something could not be installed; the next run starts over
 */
export async function install(root, say) {
	if (Number.parseInt(process.versions.node, 10) < 20) {
		throw new SetupFailed(
			`Node ${process.versions.node} is too old for npm and for set-up; install Node 20 or newer.`,
		);
	}
	if (isInstalled(root)) return;
	const onWait = (/** @type {number} */ pid) =>
		say(`Another set-up is at work (process ${pid}); waiting for it.`);
	await withLock(
		setupLock(root),
		async () => {
			if (isInstalled(root)) return;
			await installPackages(root, say);
			await installNode(root, say);
			writeFileSync(stampFile(root), JSON.stringify({ fingerprint: currentFingerprint(root) }));
		},
		{ onWait },
	);
}

/**
 * Whether set-up has nothing to do.
 *
 * @param {string} root the project's folder
 * @returns {boolean}
 */
export function isInstalled(root) {
	return stamp(root) === currentFingerprint(root) && pinnedNodeVersion(root) === wantedNode(root);
}

/** @param {string} root @param {(line: string) => void} say */
async function installPackages(root, say) {
	if (isTreeCurrent(root)) return;
	const first = !existsSync(join(root, "node_modules"));
	const why = first ? "first set-up" : "the lock file is not what was installed";
	say(`Installing packages from package-lock.json (${why}): npm ci --ignore-scripts`);
	rmSync(stampFile(root), { force: true });
	await npm(
		root,
		["ci", "--ignore-scripts", "--include=dev", "--no-audit", "--no-fund"],
		"Installing the packages",
	);
}

/** @param {string} root @param {(line: string) => void} say */
async function installNode(root, say) {
	const wanted = wantedNode(root);
	if (pinnedNodeVersion(root) === wanted) return;
	say(`Installing Node ${wanted} into node_modules: npm rebuild node`);
	await npm(root, ["rebuild", "node", "--ignore-scripts=false"], `Installing Node ${wanted}`);
	const found = pinnedNodeVersion(root);
	if (found === wanted) return;
	const state = found === undefined ? "does not run on this machine" : `is version ${found}`;
	throw new SetupFailed(
		`Node ${wanted} was installed, but ${pinnedNode(root)} ${state}. ` +
			`Outlive is developed on Linux with glibc and on macOS (x64 and arm64); this is ${process.platform} ${process.arch}.`,
	);
}

/**
 * @param {string} root
 * @param {string[]} args
 * @param {string} doing
 */
async function npm(root, args, doing) {
	const run = await inForeground(() =>
		spawn("npm", [...args, "--loglevel=error"], {
			cwd: root,
			env: npmEnvironment(process.env),
			// npm's own words go where set-up's go, so that a script's standard output stays its own.
			stdio: ["ignore", 2, 2],
		}),
	);
	if (run.askedBy !== undefined) throw stoppedBy(run.askedBy);
	if (run.code === 0) return;
	const command = `npm ${args.join(" ")}`;
	if (run.error !== undefined) {
		throw new SetupFailed(
			`${doing} failed: npm could not be started (${run.error.message}). Install npm and try again.`,
		);
	}
	const end = run.signal === null ? `ended with code ${run.code}` : `was ended by ${run.signal}`;
	throw new SetupFailed(
		`${doing} failed: \`${command}\` ${end}; what npm says is above. ` +
			"Check the network connection and run the same command again; if it fails in the same way, remove node_modules first.",
	);
}

/** @param {NodeJS.Signals} signal by which set-up was asked to end @returns {SetupFailed} */
export function stoppedBy(signal) {
	return new SetupFailed(`Set-up was ended by ${signal}; the next one starts over.`);
}

/**
 * The environment for an npm that is started by a script of another npm: without what the outer one was told
 * on its command line, and without the project's own Node, which the install replaces.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function npmEnvironment(env) {
	const own =
		/^npm_(lifecycle_|package_|command$|config_(prefix|local_prefix|global|dry_run|ignore_scripts|omit|include|production|workspaces?|loglevel|json)$)/i;
	const kept = Object.entries(env).filter(([name]) => !own.test(name) && name !== "NODE_ENV");
	const path = (env.PATH ?? "")
		.split(delimiter)
		.filter((folder) => !folder.endsWith(join("node_modules", ".bin")));
	return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}

/** @param {string} root */
function isTreeCurrent(root) {
	const hidden = join(root, "node_modules", ".package-lock.json");
	if (!existsSync(hidden)) return false;
	const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
	return treeMatchesLock(lock, JSON.parse(readFileSync(hidden, "utf8")));
}

/** @param {string} root */
function currentFingerprint(root) {
	return fingerprint({
		lockFile: readFileSync(join(root, "package-lock.json"), "utf8"),
		packageFile: readFileSync(join(root, "package.json"), "utf8"),
		platform: process.platform,
		arch: process.arch,
	});
}

/** @param {string} root @returns {string} the version that package.json pins */
export function wantedNode(root) {
	return JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies.node;
}

/** @param {string} root */
function stamp(root) {
	if (!existsSync(stampFile(root))) return undefined;
	return JSON.parse(readFileSync(stampFile(root), "utf8")).fingerprint;
}

/** @param {string} root */
function stampFile(root) {
	return join(root, "node_modules", ".outlive-setup.json");
}

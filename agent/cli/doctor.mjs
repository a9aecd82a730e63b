/**
 * `outlive doctor`: what is installed, what is missing and what state everything is in. Plain JavaScript that runs
 * on Node 20 before anything is installed. It installs, starts and changes nothing.
 *
 * `node agent/cli/doctor.mjs [--json] [--data-dir DIR]`. With `--json` one value on standard output:
 * `{ "checks": [{ "name", "status", "detail", "fix"? }], "ok" }`. Ends with 0 when nothing failed, else 1.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { checkAgent } from "./doctor/agent-checks.mjs";
import { askAgent } from "./doctor/ask-agent.mjs";
import { checkPlaces } from "./doctor/place-checks.mjs";
import { places } from "./doctor/places.mjs";
import { checkModels, checkPrograms, checkService } from "./doctor/program-checks.mjs";
import { describe } from "./doctor/report.mjs";

/** @typedef {import("./doctor/check.mjs").Check} Check */

const ANSWER_TIMEOUT = 3000;
const USAGE = "Use: outlive doctor [--json] [--data-dir DIR]";

/**
 * Looks at everything.
 *
 * @param {{ env: NodeJS.ProcessEnv, platform: NodeJS.Platform, user: number | undefined, dataDirectory?: string }} system
 *   `dataDirectory` is one that was asked for, before the environment's
 * @returns {Promise<Check[]>}
 */
export async function examine({ env, platform, user, dataDirectory }) {
	const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
	const where = places(env, platform, dataDirectory);
	const answer = await askAgent(where.socket, ANSWER_TIMEOUT);
	return [
		...(await checkToolchain(root)),
		...checkPrograms(env.PATH),
		...checkPlaces(where, platform, user),
		...checkAgent(where, answer, ownVersion(root)),
		checkService(env, platform),
		...(await checkModels(env)),
	];
}

/**
 * A checkout also has checks of what it is developed with; the installed app has no such folder.
 *
 * @param {string} root
 * @returns {Promise<Check[]>}
 */
async function checkToolchain(root) {
	const script = join(root, "build", "doctor.mjs");
	if (!existsSync(script)) return [{ name: "node", status: "ok", detail: process.versions.node }];
	const { toolchainChecks } = await import(pathToFileURL(script).href);
	return toolchainChecks(root);
}

/** @param {string} root @returns {string | undefined} */
function ownVersion(root) {
	const file = join(root, "package.json");
	return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined;
}

/**
 * The command.
 *
 * @param {string[]} args what follows `doctor`
 * @returns {Promise<number>} the exit code
 */
export async function doctor(args) {
	const rest = [...args];
	let json = false;
	/** @type {string | undefined} */
	let dataDirectory;
	for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
		if (arg === "--json") json = true;
		else if (arg === "--data-dir" && rest.length > 0) dataDirectory = rest.shift();
		else if (arg.startsWith("--data-dir=")) dataDirectory = arg.slice("--data-dir=".length);
		else {
			process.stderr.write(`outlive doctor does not know ${arg}. ${USAGE}\n`);
			return 2;
		}
	}
	const system = { env: process.env, platform: process.platform, user: process.getuid?.() };
	const checks = await examine({ ...system, dataDirectory });
	const ok = checks.every(({ status }) => status !== "fail");
	process.stdout.write(`${json ? JSON.stringify({ checks, ok }) : describe(checks)}\n`);
	return ok ? 0 : 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
	process.exitCode = await doctor(process.argv.slice(2));
}

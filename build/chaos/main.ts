import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "vite";
import { agentBundle } from "../../vite.config.ts";
import { keepFolder, keepProcesses } from "../test/keep-processes.mjs";
import { playRound } from "./round.ts";
import { changedBundle, GUARDS, type Guard } from "./without-guard.ts";

const USAGE =
	"npm run chaos -- [--rounds N] [--seed S] [--without claim|intent|request|subagent] [--slow-runner]";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "50" },
		seed: { type: "string" },
		without: { type: "string" },
		"slow-runner": { type: "boolean", default: false },
	},
});
const rounds = Number(values.rounds);
const first = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
const without = values.without as Guard | undefined;
if (
	!Number.isInteger(rounds) ||
	rounds < 1 ||
	!Number.isInteger(first) ||
	(without !== undefined && !(without in GUARDS))
) {
	process.stderr.write(`${USAGE}\n`);
	process.exit(2);
}

keepProcesses();
mkdirSync(join(process.cwd(), "out"), { recursive: true });
const options = `${without === undefined ? "" : ` --without ${without}`}${values["slow-runner"] ? " --slow-runner" : ""}`;
const out = mkdtempSync(join(process.cwd(), "out", "chaos-"));
keepFolder(out);
try {
	await build(
		changedBundle(agentBundle("agent/main.ts", out), { without, slowRunner: values["slow-runner"] }),
	);
	let failures = 0;
	for (let round = 0; round < rounds; round++) {
		const seed = first + round;
		const startedAt = performance.now();
		const { problems, place } = await playRound(seed, join(out, "agent.js"));
		const took = `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
		if (problems.length === 0) {
			process.stdout.write(`round ${round + 1} of ${rounds}, seed ${seed}: held (${took})\n`);
			continue;
		}
		failures++;
		process.stdout.write(
			`round ${round + 1} of ${rounds}, seed ${seed}: FAILED (${took}); kept in ${place}\n`,
		);
		for (const problem of problems) process.stdout.write(`  ${problem}\n`);
		process.stdout.write(`  again: npm run chaos -- --rounds 1 --seed ${seed}${options}\n`);
	}
	process.stdout.write(`${rounds - failures} rounds held, ${failures} failed; first seed ${first}\n`);
	process.exitCode = failures === 0 ? 0 : 1;
} finally {
	rmSync(out, { recursive: true, force: true });
}

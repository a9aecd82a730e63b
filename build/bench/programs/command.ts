import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { commandIntent } from "../../../agent/durable/env/command-intent.ts";
import { createNodeCommands } from "../../../agent/durable/env/node.ts";
import { findShell } from "../../../agent/durable/env/shell.ts";
import { programInput, programOutput } from "../run-program.ts";
import { interleaved, median } from "../statistics.ts";

/** From the start of `true` to its end, medians in ms. */
export type CommandTimes = { readonly runner: number; readonly spawned: number };

const COMMAND = "true";
const WARM_UP = 5;

const { repetitions } = programInput<{ repetitions: number }>();
const directory = mkdtempSync(join(tmpdir(), "outlive-bench-runs-"));
const commands = createNodeCommands({ directory });
let runs = 0;

async function throughRunner(): Promise<number> {
	const run = { name: `run-${runs++}`, intent: commandIntent() };
	const begun = performance.now();
	await commands.start(run, { command: COMMAND, cwd: directory }, BACKGROUND_CONTEXT);
	const end = await commands.follow(run, {}, BACKGROUND_CONTEXT);
	const took = performance.now() - begun;
	if (end.kind !== "exited" || end.status !== 0)
		throw new Error(`The command ended so: ${JSON.stringify(end)}`);
	return took;
}

async function spawned(): Promise<number> {
	const begun = performance.now();
	await once(spawn(findShell(), ["-c", COMMAND], { stdio: "ignore" }), "exit");
	return performance.now() - begun;
}

try {
	const measures = [throughRunner, spawned];
	await interleaved(WARM_UP, measures);
	const [runner, bare] = (await interleaved(repetitions, measures)).map(median);
	programOutput({ runner: runner!, spawned: bare! } satisfies CommandTimes);
} finally {
	rmSync(directory, { recursive: true, force: true });
}

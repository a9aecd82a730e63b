import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { processStart } from "../setup/process-start.mjs";
import { until } from "./until.mjs";

const skip = process.platform !== "linux" && "processes that left their group are found through /proc only";
const root = join(import.meta.dirname, "..", "..");

/** A program as a person runs one by itself: below no test run that would end what it leaves. */
function run(context: TestContext, source: string): { child: ChildProcess; says(): Promise<number[]> } {
	const { OUTLIVE_TEST_FILE: _, ...env } = process.env;
	// What a killed program leaves in its temporary folder goes with this one.
	const temporary = mkdtempSync(join(tmpdir(), "kept-"));
	context.after(() => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));
	const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", source], {
		cwd: root,
		env: { ...env, TMPDIR: temporary },
		stdio: ["ignore", "pipe", "inherit"],
	});
	context.after(() => child.kill("SIGKILL"));
	const lines = createInterface({ input: child.stdout! });
	return { child, says: async () => JSON.parse(String((await once(lines, "line"))[0])) };
}

const isAlive = (pid: number) => processStart(pid) !== undefined;

for (const signal of ["SIGKILL", "SIGTERM", "SIGINT"] as const)
	test(`a test that ends by ${signal} leaves neither its agent nor the commands of its sessions`, {
		skip,
	}, async (context) => {
		const { child, says } = run(
			context,
			`import { connectTo, makePlace, spawnAgent } from "./agent/testing/agent-process.ts";
			import { untilView } from "./agent/testing/session-probe.ts";
			const place = makePlace();
			const agent = spawnAgent(place);
			const client = await connectTo(place, agent);
			const { session } = await client.request("sessions.create", {
				directory: place.project,
				content: "bash: setsid sleep 600 & echo $! $$; sleep 600",
				requestId: "one",
			});
			const view = await untilView(client, session, "the command runs", ({ live }) =>
				live.tools.some(({ output, runner }) => /\\d+ \\d+/.test(output) && runner !== undefined),
			);
			const { output, runner } = view.live.tools[0];
			console.log(JSON.stringify([agent.pid, runner, ...output.trim().split(" ").map(Number)]));`,
		);
		const pids = await says();
		assert.equal(pids.length, 4);
		assert.ok(pids.every(isAlive));
		child.kill(signal);
		await until("they are gone", () => !pids.some(isAlive));
	});

test("an agent that was frozen ends with its test too", { skip }, async (context) => {
	const { child, says } = run(
		context,
		`import { connectTo, makePlace, spawnAgent } from "./agent/testing/agent-process.ts";
		const place = makePlace();
		const agent = spawnAgent(place);
		await connectTo(place, agent);
		agent.child.kill("SIGSTOP");
		console.log(JSON.stringify([agent.pid]));`,
	);
	const [pid] = await says();
	child.kill("SIGKILL");
	await until("it is gone", () => !isAlive(pid!));
});

test("an agent that the command line started for a test ends with it", { skip }, async (context) => {
	const { child, says } = run(
		context,
		`import { agentPid } from "./agent/cli/testing/agents.ts";
		import { makePlace } from "./agent/cli/testing/place.ts";
		import { outlive } from "./agent/cli/testing/run-outlive.ts";
		const context = { after() {}, diagnostic() {} };
		const place = makePlace(context);
		await outlive(context, place, ["start"]);
		console.log(JSON.stringify([agentPid(place)]));
		setInterval(() => {}, 1_000);`,
	);
	const [pid] = await says();
	assert.ok(isAlive(pid!));
	child.kill("SIGKILL");
	await until("it is gone", () => !isAlive(pid!));
});

test("what a program started before it ended by itself is ended too", { skip }, async (context) => {
	const { child, says } = run(
		context,
		`import { spawn } from "node:child_process";
		import { keepProcesses } from "./build/test/keep-processes.mjs";
		keepProcesses();
		const left = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
		left.unref();
		console.log(JSON.stringify([left.pid]));`,
	);
	const [pid] = await says();
	await once(child, "exit");
	await until("it is gone", () => !isAlive(pid!));
});

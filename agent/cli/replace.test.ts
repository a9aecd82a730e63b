import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../build/test/until.mjs";
import { agentOfVersion } from "../testing/other-version.ts";
import { agentPid, agentProgram, isThere } from "./testing/agents.ts";
import { makePlace } from "./testing/place.ts";
import { outlive } from "./testing/run-outlive.ts";
import { startTestAgent } from "./testing/test-agent.ts";

test("start says that the agent is older and how to replace it; --replace does, and its command goes on", async (context) => {
	const place = makePlace(context);
	const older = { OUTLIVE_AGENT_PROGRAM: agentOfVersion("0.0.9", place.home) };
	const first = await outlive(context, place, ["start"], { env: older });
	assert.match(first.stdout, /^The agent was started: process \d+, version 0\.0\.9\.\n$/);
	assert.match(first.stderr, /^It is older than this command .* with: outlive start --replace\n$/);
	const pid = agentPid(place)!;
	const { stdout } = await outlive(context, place, [
		"new",
		place.project,
		"bash: echo started; until [ -e go ]; do sleep 0.05; done; echo ended",
		"--json",
	]);
	const { session } = JSON.parse(stdout);
	const show = async () =>
		JSON.parse((await outlive(context, place, ["show", session, "--json"])).stdout) as {
			live: { tools: { output: string }[] };
			entries: { role: string; text: string }[];
		};
	await until("the command runs", async () =>
		(await show()).live.tools.some(({ output }) => output.includes("started")),
	);

	const replaced = await outlive(context, place, ["start", "--replace", "--json"]);
	assert.equal(replaced.code, 0, replaced.stderr);
	const said = JSON.parse(replaced.stdout);
	assert.deepEqual([said.started, said.replaced, said.outdated], [false, true, undefined]);
	assert.notEqual(said.pid, pid);
	assert.equal(replaced.stderr, "");
	await until("the older one is gone", () => !isThere(pid));
	const again = await outlive(context, place, ["start"]);
	assert.match(again.stdout, /^The agent is running already/);
	assert.equal(again.stderr, "");
	assert.ok((await show()).live.tools.some(({ output }) => output.includes("started")));
	await outlive(context, place, ["stop", session]);
});

test("an agent that is newer than the command line is not replaced: exit 5, and it runs on", async (context) => {
	const place = makePlace(context);
	const newer = { OUTLIVE_AGENT_PROGRAM: agentOfVersion("99.0.0", place.home) };
	await outlive(context, place, ["start"], { env: newer });
	const pid = agentPid(place)!;
	const { code, stdout, stderr } = await outlive(context, place, ["start", "--replace", "--json"]);
	assert.equal(code, 5);
	assert.equal(JSON.parse(stdout).error.code, "agent_not_replaced");
	assert.match(stderr, /^The agent was not replaced\. Agent 99\.0\.0 runs on, since agent \S+ is older\. /);
	assert.equal(agentPid(place), pid);
	assert.ok(isThere(pid));
});

test("--replace with no agent there starts one; with one that doesn't answer nothing is started", async (context) => {
	const place = makePlace(context);
	const started = await outlive(context, place, ["start", "--replace", "--json"]);
	assert.deepEqual([started.code, JSON.parse(started.stdout).started], [0, true]);

	const other = makePlace(context);
	await startTestAgent(context, other, { instead: () => {} });
	const env = { OUTLIVE_ANSWER_MS: "300", ...agentProgram(other, "process.exit(9)") };
	const { code, stderr } = await outlive(context, other, ["start", "--replace"], { env });
	assert.equal(code, 3);
	assert.match(stderr, /does not answer/);
});

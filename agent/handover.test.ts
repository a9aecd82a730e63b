import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../build/test/until.mjs";
import { isAnswered, untilView } from "./testing/session-probe.ts";
import { createSession, world } from "./testing/world.ts";

const REPLACE = { args: ["--replace=now"] };

test("an agent that is to replace another takes over its running command, and its answers that end in time are whole", async (context) => {
	const { place, start, spawn, connect } = world(context);
	const first = await start();
	const answering = await createSession(first.client, place.project, "slow 20: word");
	const go = join(place.project, "go");
	const working = await createSession(
		first.client,
		place.project,
		`bash: echo started; until [ -e '${go}' ]; do sleep 0.05; done; echo x >> ran; echo ended`,
	);
	await untilView(first.client, working, "the command runs", ({ live }) =>
		live.tools.some(({ output }) => output.includes("started")),
	);
	await untilView(first.client, answering, "the answer has begun", ({ live }) => live.partial !== undefined);
	const second = spawn(REPLACE);
	assert.equal(await first.agent.exited, 0);
	const client = await connect(second);
	assert.equal(client.welcome.pid, second.pid);
	writeFileSync(go, "");
	const worked = await untilView(client, working, "the command's end", isAnswered);
	const result = worked.entries.find(({ role }) => role === "toolResult");
	assert.equal(result?.text, "started\nended");
	assert.equal(readFileSync(join(place.project, "ran"), "utf8"), "x\n");
	const answered = await untilView(client, answering, "the whole answer", isAnswered);
	assert.equal(answered.entries.filter(({ role }) => role === "assistant").length, 1, "it was not cut");
	void existsSync;
	void until;
});

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { AgentPlace } from "./testing/agent-process.ts";
import { isAnswered, roles, untilView } from "./testing/session-probe.ts";
import { createSession, world } from "./testing/world.ts";

function delegate(prompt: string, more: object = {}): string {
	const call = { name: "subagent", arguments: { description: "count files", prompt, ...more } };
	return `tools: ${JSON.stringify([call])}`;
}

const CLI = join(import.meta.dirname, "cli", "main.ts");

/** What the command line prints. */
async function outlive(place: AgentPlace, ...args: string[]): Promise<string> {
	const env = {
		...process.env,
		HOME: place.home,
		OUTLIVE_DATA_DIR: place.dataDirectory,
		OUTLIVE_LOOK_FOR: "api",
	};
	const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], { env, cwd: place.project });
	return stdout;
}

test("after kill -9 the call finds its subagent and waits on: one child, whose command ran once", async (context) => {
	const { place, start } = world(context);
	const first = await start();
	const command = "echo x >> runs.txt; echo started; sleep 3; echo ended";
	const session = await createSession(first.client, place.project, delegate(`bash: ${command}`));
	const before = await untilView(first.client, session, "the call names its subagent", ({ live }) =>
		live.tools.some(({ conversation }) => conversation !== undefined),
	);
	const child = before.live.tools[0]!.conversation!;
	await untilView(first.client, child, "the subagent's command runs", ({ live }) =>
		live.tools.some(({ output }) => output.includes("started")),
	);
	await first.agent.kill();

	const second = await start();
	const view = await untilView(second.client, session, "the answer after the restart", isAnswered);
	assert.deepEqual(roles(view), ["user", "assistant", "toolResult", "assistant"]);
	const result = view.entries.find((entry) => entry.role === "toolResult");
	assert.ok(result?.role === "toolResult");
	assert.equal(result.conversation, child);
	assert.match(result.text, /started\nended/);
	assert.equal(readFileSync(join(place.project, "runs.txt"), "utf8"), "x\n");
	const below = await untilView(second.client, child, "the subagent is done", isAnswered);
	assert.deepEqual(roles(below), ["user", "assistant", "toolResult", "assistant"]);
	assert.deepEqual(below.session.parent, { session, call: result.toolCallId });
});

test("one in the background goes on while its session does something else, and its answer comes as a message", async (context) => {
	const { place, start } = world(context);
	const { client } = await start();
	const session = await createSession(
		client,
		place.project,
		delegate("bash: until test -e go; do sleep 0.05; done; echo far", { background: true }),
	);
	const idle = await untilView(
		client,
		session,
		"the run is over",
		({ live, entries }) => live.run === undefined && entries.at(-1)?.role === "assistant",
	);
	const { state } = idle.session;
	assert.ok(state.kind === "running" && state.background, "its session is at work as long as it is");
	const result = idle.entries.find((entry) => entry.role === "toolResult");
	assert.ok(result?.role === "toolResult" && result.conversation !== undefined);
	assert.ok(
		idle.tasks.some(({ background, conversation }) => background && conversation === result.conversation),
	);
	await client.request("session.send", { session, content: "bash: touch go", requestId: "go" });
	const view = await untilView(
		client,
		session,
		"the report and the answer to it",
		(now) =>
			isAnswered(now) && now.entries.some((entry) => entry.role === "user" && entry.from !== undefined),
	);
	const report = view.entries.find((entry) => entry.role === "user" && entry.from !== undefined);
	assert.ok(report?.role === "user");
	assert.deepEqual(report.from, { description: "count files", status: "answered" });
	assert.match(report.text, /^`bash` answered:[\s\S]*far/, "its words, without what wraps them");
	const called = view.entries.find(
		(entry) => entry.role === "toolResult" && entry.conversation !== undefined,
	);
	assert.ok(called?.role === "toolResult");
	assert.equal(called.spend?.totalTokens, view.usage.subagents?.totalTokens);
	assert.deepEqual(view.tasks, []);
});

test("outlive shows and follows a subagent's conversation, named under its call", async (context) => {
	const { place, start } = world(context);
	const { client } = await start();
	const session = await createSession(client, place.project, delegate("slow 3: hello"));
	const view = await untilView(client, session, "the answer", isAnswered);
	const result = view.entries.find((entry) => entry.role === "toolResult");
	assert.ok(result?.role === "toolResult");
	const child = result.conversation!;
	const shown = await outlive(place, "show", session);
	assert.match(shown, /\* subagent count files\n/);
	assert.match(shown, new RegExp(`-- subagent ${child}: outlive show ${child}\n`));
	const json = JSON.parse(await outlive(place, "show", session, "--json"));
	const entry = json.entries.find(({ role }: { role: string }) => role === "toolResult");
	assert.deepEqual([entry.conversation, entry.cost], [child, 0]);
	const below = await outlive(place, "show", child);
	assert.match(below, /Subagent of/);
	assert.match(below, /> slow 3: hello\n1:hello 2:hello 3:hello\n/);
	await outlive(place, "send", child, "slow 2: again", "--wait");
	const again = await outlive(place, "show", child, "--json");
	assert.equal(JSON.parse(again).entries.at(-1).text, "1:again 2:again");
});

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../build/test/until.mjs";
import type { ProtocolError } from "./protocol/index.ts";
import { createReconnectingClient } from "./protocol/index.ts";
import { connectSocket } from "./protocol/node-socket-transport.ts";
import { isAnswered, roles, untilView } from "./testing/session-probe.ts";
import { createSession, type World, world } from "./testing/world.ts";

const NOW = { args: ["--replace=now"] };
const WHEN_IDLE = { args: ["--replace=idle"] };
/** A command that goes on until the file `go` is there, and counts in `ran` how often it ran. */
const UNTIL_GO = "bash: echo started; until [ -e go ]; do sleep 0.05; done; echo x >> ran; echo ended";

const hasStarted = (view: { live: { tools: { output: string }[] } }) =>
	view.live.tools.some(({ output }) => output.includes("started"));

function go({ place }: World): void {
	writeFileSync(join(place.project, "go"), "");
}

function logOf({ place }: World): string {
	return readFileSync(join(place.dataDirectory, "agent.log"), "utf8");
}

test("an agent that replaces another takes over its running command, and answers that end in time are whole", async (context) => {
	const here = world(context);
	const { place } = here;
	const first = await here.start();
	const answering = await createSession(first.client, place.project, "slow 20: word");
	const working = await createSession(first.client, place.project, UNTIL_GO);
	await untilView(first.client, working, "the command runs", hasStarted);
	await untilView(first.client, answering, "the answer has begun", ({ live }) => live.partial !== undefined);
	const second = here.spawn(NOW);
	assert.equal(await first.agent.exited, 0);
	const client = await here.connect(second);
	assert.equal(client.welcome.pid, second.pid);
	go(here);
	const worked = await untilView(client, working, "the command's end", isAnswered);
	assert.deepEqual(roles(worked), ["user", "assistant", "toolResult", "assistant"]);
	assert.equal(worked.entries.find(({ role }) => role === "toolResult")?.text, "started\nended");
	assert.equal(readFileSync(join(place.project, "ran"), "utf8"), "x\n");
	const answered = await untilView(client, answering, "the whole answer", isAnswered);
	assert.deepEqual(roles(answered), ["user", "assistant"], "it was not cut");
});

test("while an agent hands over, watches go on and end with a word, and a message goes to the next one, once", async (context) => {
	const here = world(context);
	const { place } = here;
	const first = await here.start();
	const answering = await createSession(first.client, place.project, "slow 25: word");
	const other = await createSession(first.client, place.project, "hello");
	await untilView(first.client, other, "the answer", isAnswered);
	const ended = Promise.withResolvers<ProtocolError>();
	let partial = "";
	await first.client.watch(
		"session.watch",
		{ session: answering },
		{
			onValue: (view) => {
				partial = view.live.partial?.text ?? partial;
			},
			onEnd: ended.resolve,
		},
	);
	await until("the answer has begun", () => partial.includes("2:"));
	const before = partial.length;
	const steady = createReconnectingClient({
		client: "test steady",
		connect: () => connectSocket(place.socket),
		policy: () => 10,
	});
	context.after(() => steady.close());
	await steady.ready();

	const second = here.spawn(NOW);
	await until("it hands over", () => logOf(here).includes("hands over to version"));
	const sent = steady.request("session.send", { session: other, content: "in between", requestId: "gap" });
	await assert.rejects(first.client.request("agent.info", {}), {
		code: "shutting_down",
		message: /^The agent is being replaced by version \S+, .*connect again in a moment\.$/,
	});
	const error = await ended.promise;
	assert.ok(partial.length > before, "what ran was seen to go on");
	assert.equal(error.code, "shutting_down");
	assert.match(error.message, /being replaced by version/);
	const { submission } = await sent;
	const client = await here.connect(second);
	const view = await untilView(client, other, "its answer", isAnswered);
	assert.deepEqual(roles(view), ["user", "assistant", "user", "assistant"]);
	const again = await steady.request("session.send", {
		session: other,
		content: "in between",
		requestId: "gap",
	});
	assert.equal(again.submission, submission);
});

test("an agent that is to be replaced when idle goes on until nothing runs, says so, and forgets it when the other one goes", async (context) => {
	const here = world(context);
	const { place } = here;
	const first = await here.start();
	const working = await createSession(first.client, place.project, UNTIL_GO);
	await untilView(first.client, working, "the command runs", hasStarted);
	const ending = async () => (await first.client.request("agent.info", {})).ending;
	assert.equal(await ending(), undefined);
	const gone = here.spawn(WHEN_IDLE);
	await until("the wish is known", async () => (await ending()) === "idle");
	await gone.kill();
	await until("the wish is forgotten", async () => (await ending()) === undefined);

	const second = here.spawn(WHEN_IDLE);
	await until("the wish is known", async () => (await ending()) === "idle");
	const other = await createSession(first.client, place.project, "hello");
	await untilView(first.client, other, "it takes messages meanwhile", isAnswered);
	go(here);
	assert.equal(await first.agent.exited, 0);
	const client = await here.connect(second);
	assert.equal(client.welcome.pid, second.pid);
	const view = await untilView(client, working, "the command's end", isAnswered);
	assert.equal(view.entries.find(({ role }) => role === "toolResult")?.text, "started\nended");
});

test("of two agents that are to replace the same one, one does, and the other says so and ends", async (context) => {
	const here = world(context);
	const { place } = here;
	const first = await here.start();
	const working = await createSession(first.client, place.project, UNTIL_GO);
	await untilView(first.client, working, "the command runs", hasStarted);
	const both = [here.spawn(WHEN_IDLE), here.spawn(WHEN_IDLE)] as const;
	// Both have asked before it gives way to either.
	await until("both have asked", () => (logOf(here).match(/wants to take over/g) ?? []).length === 2);
	go(here);
	assert.equal(await first.agent.exited, 0);
	const client = await here.connect(both[0]);
	const [winner, loser] = client.welcome.pid === both[0].pid ? both : [both[1], both[0]];
	assert.equal(client.welcome.pid, winner.pid);
	assert.equal(await loser.exited, 0);
	assert.match(loser.output(), new RegExp(`running already: process ${winner.pid}\\b`));
	await untilView(client, working, "the command's end", isAnswered);
	assert.equal(readFileSync(join(place.project, "ran"), "utf8"), "x\n");
});

test("an agent's program that is told anything else says what it takes", async (context) => {
	const { spawn } = world(context);
	const agent = spawn({ args: ["--replace"] });
	assert.equal(await agent.exited, 1);
	assert.match(agent.output(), /takes --replace=idle or --replace=now and nothing else/);
});

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { until } from "../build/test/until.mjs";
import { type Client, createReconnectingClient, type ReconnectingClient } from "./protocol/index.ts";
import { connectSocket } from "./protocol/node-socket-transport.ts";
import { isAnswered, roles, untilView } from "./testing/session-probe.ts";
import { createSession, type World, world } from "./testing/world.ts";

/** `kill -9` in the middle of a handover: of the one that gives way, of the one that takes over, and of both. */

const REPLACE = ["--replace=now"];

/** A session with a command that outlives all of it, and a client that comes back by itself. */
async function working(context: TestContext, env: Record<string, string> = {}) {
	const here = world(context);
	const first = await here.start({ env });
	const session = await createSession(
		first.client,
		here.place.project,
		"bash: echo x >> ran; echo started; until [ -e go ]; do sleep 0.05; done; seq 1 500",
	);
	await untilView(first.client, session, "the command runs", ({ live }) =>
		live.tools.some(({ output }) => output.includes("started")),
	);
	const steady = createReconnectingClient({
		client: "test steady",
		connect: () => connectSocket(here.place.socket),
		policy: () => 10,
	});
	context.after(() => steady.close());
	await steady.ready();
	return { here, first, session, steady };
}

/** The command's whole output reached the model once, and so did every message. */
async function allIsWell(
	client: Client,
	{ place }: World,
	session: string,
	messages: readonly string[],
): Promise<void> {
	writeFileSync(join(place.project, "go"), "");
	const view = await untilView(client, session, "the last answer", (now) => {
		const users = now.entries.filter(({ role }) => role === "user");
		return isAnswered(now) && users.length === messages.length + 1;
	});
	const results = view.entries.filter(({ role }) => role === "toolResult");
	const lines = Array.from({ length: 500 }, (_, index) => index + 1);
	assert.deepEqual(
		results.map(({ text }) => text),
		[["started", ...lines].join("\n")],
	);
	assert.equal(readFileSync(join(place.project, "ran"), "utf8"), "x\n");
	assert.deepEqual(
		view.entries.flatMap(({ role, text }) => (role === "user" ? [text] : [])).slice(1),
		messages,
	);
	assert.equal(roles(view).filter((role) => role === "assistant").length, 2 + messages.length);
}

const send = (client: ReconnectingClient, session: string, content: string) =>
	client.request("session.send", { session, content, requestId: content.replaceAll(" ", "-") });

test("the agent that gives way is killed at each step of its end: the next one takes over, and nothing is lost", async (context) => {
	const steps = [
		"the intake",
		"what runs",
		"the sessions",
		"the harness",
		"the socket",
		"the rest",
		"the lock",
	];
	const dyingAt = (step: string | undefined) =>
		step === undefined ? {} : { env: { OUTLIVE_CRASH_AT: `ending#${step}:1` } };
	const { here, first, session, steady } = await working(context, dyingAt(steps[0]).env);
	let agent = first.agent;
	const messages: string[] = [];
	for (const [index, step] of steps.entries()) {
		const next = here.spawn({ args: REPLACE, ...dyingAt(steps[index + 1]) });
		const sent = send(steady, session, `after ${step}`);
		messages.push(`after ${step}`);
		assert.equal(await agent.exited, null, `it is killed at ${step}`);
		await sent;
		const client = await here.connect(next);
		assert.equal(client.welcome.pid, next.pid);
		agent = next;
	}
	await allIsWell(await here.connect(agent), here, session, messages);
});

for (const point of ["succession:agreed", "succession:owner"])
	test(`the agent that takes over is killed at ${point}: the old one has ended well, and whoever starts next goes on`, async (context) => {
		const { here, first, session, steady } = await working(context);
		const next = here.spawn({ args: REPLACE, env: { OUTLIVE_CRASH_AT: `${point}:1` } });
		const sent = send(steady, session, "in between");
		assert.equal(await next.exited, null);
		assert.equal(await first.agent.exited, 0);
		const third = await here.start();
		await sent;
		await allIsWell(third.client, here, session, ["in between"]);
	});

test("both are killed in the middle of it: whoever starts next goes on", async (context) => {
	const { here, first, session, steady } = await working(context, {
		OUTLIVE_CRASH_AT: "ending#the harness:1",
	});
	const next = here.spawn({ args: REPLACE, env: { OUTLIVE_CRASH_AT: "succession:owner:1" } });
	const sent = send(steady, session, "in between");
	assert.deepEqual(await Promise.all([first.agent.exited, next.exited]), [null, null]);
	const third = await here.start();
	await sent;
	await allIsWell(third.client, here, session, ["in between"]);
});

test("an agent that is frozen while it is asked hands over when it goes on; it is never killed", {
	skip: process.platform !== "linux" && "connections that wait are found through /proc only",
}, async (context) => {
	const { here, first, session } = await working(context);
	first.agent.child.kill("SIGSTOP");
	const before = connectionsTo(here.place.socket);
	const next = here.spawn({ args: REPLACE });
	await until("the next one asks", () => connectionsTo(here.place.socket) > before);
	assert.equal(first.agent.child.signalCode, null);
	first.agent.child.kill("SIGCONT");
	assert.equal(await first.agent.exited, 0);
	await allIsWell(await here.connect(next), here, session, []);
});

/** How many ends of connections there are at a socket's path. */
function connectionsTo(path: string): number {
	const lines = readFileSync("/proc/net/unix", "utf8").split("\n");
	return lines.filter((line) => line.includes(path)).length;
}

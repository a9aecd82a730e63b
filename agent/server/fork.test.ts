import assert from "node:assert/strict";
import { test } from "node:test";
import { obj } from "@earendil-works/pi-schema";
import { identityOf } from "../durable/env/process-identity.ts";
import { defineTool } from "../durable/index.ts";
import { until } from "../durable/testing/until.ts";
import type { Client, SessionView } from "../protocol/index.ts";
import { startAgent, type TestAgent } from "./testing/agent.ts";

async function watch(client: Client, session: string) {
	return client.watch("session.watch", { session }, { onValue() {} });
}

async function say(agent: TestAgent, client: Client, session: string, content: string): Promise<SessionView> {
	const live = await watch(client, session);
	const { submission } = await client.request("session.send", {
		session,
		content,
		requestId: `${session} ${content}`.replaceAll(" ", "-").slice(0, 200),
	});
	const settled = () => live.value.submissions.find((each) => each.submission === submission)?.status;
	await until("it is answered", () => settled() === "done" || settled() === "unanswered");
	assert.equal(settled(), "done", agent.log.map(({ message }) => message).join("\n"));
	live.stop();
	return live.value;
}

const texts = ({ entries }: SessionView) =>
	entries.filter(({ role }) => role !== "system").map(({ text }) => text);

test("a fork is a session of its own that shows what it inherits and where it comes from", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.connect();
	const session = await agent.session();
	const first = await say(agent, client, session, "slow 1: one");
	await say(agent, client, session, "slow 1: two");
	const at = first.entries.at(-1)!.id;
	const { session: fork } = await client.request("session.fork", { session, at, requestId: "fork-1" });
	assert.deepEqual(await client.request("session.fork", { session, at, requestId: "fork-1" }), {
		session: fork,
	});

	const live = await watch(client, fork);
	assert.deepEqual(live.value.session.forkedFrom, { session, entry: at });
	assert.match(live.value.session.title, /^Fork of /);
	assert.equal(live.value.session.unread, false);
	assert.deepEqual(
		live.value.entries.map(({ id }) => id),
		first.entries.map(({ id }) => id),
	);
	assert.deepEqual([live.value.inbox, live.value.submissions, live.value.tasks], [[], [], []]);
	assert.equal(live.value.usage.total.totalTokens, 0, "what its parent spent is not its own");
	live.stop();

	const after = await say(agent, client, fork, "slow 1: three");
	assert.deepEqual(texts(after).slice(0, -1), [...texts(first), "slow 1: three"]);
	const list = await client.request("sessions.list", {});
	assert.deepEqual(
		list.sessions.map(({ id, forkedFrom }) => [id, forkedFrom?.session]),
		[
			[fork, session],
			[session, undefined],
		],
	);
	const page = await client.request("session.entries", { session: fork, around: at, limit: 1 });
	assert.equal(page.entries[0]?.id, at);
});

test("a fork can be made while its session runs, in the middle of a round, and answers", async (t) => {
	const gate = Promise.withResolvers<void>();
	const waits = defineTool({
		name: "waits",
		description: "Waits.",
		parameters: obj({}),
		execute: async () => {
			await gate.promise;
			return {};
		},
	});
	const agent = await startAgent(t, { tools: [waits] });
	const client = await agent.connect();
	const session = await agent.session('tools: [{"name":"waits","arguments":{}}]');
	const parent = await watch(client, session);
	await until("it waits", () => parent.value.live.tools[0]?.status === "running");
	const calling = parent.value.entries.findLast(({ role }) => role === "assistant")!;
	const { session: fork } = await client.request("session.fork", { session, at: calling.id });
	const forked = await say(agent, client, fork, "slow 1: hello");
	assert.equal(forked.entries.at(-1)?.role, "assistant");
	assert.equal(parent.value.session.state.kind, "running");
	gate.resolve();
	await until("it is done", () => parent.value.session.lastRun?.outcome === "answered");
});

test("what a call left running belongs to the session that made it, not to its forks", async (t) => {
	const identity = identityOf(process.pid)!;
	const background = [{ pid: process.pid, start: identity.start, command: "sleep 300" }];
	const leaves = defineTool({
		name: "leaves",
		description: "Leaves something running.",
		parameters: obj({}),
		execute: async () => ({ content: [], details: { background } }),
	});
	const agent = await startAgent(t, { tools: [leaves] });
	const client = await agent.connect();
	const session = await agent.session();
	const view = await say(agent, client, session, 'tools: [{"name":"leaves","arguments":{}}]');
	assert.equal(view.background.length, 1);
	const { session: fork } = await client.request("session.fork", { session, at: view.entries.at(-1)!.id });
	const live = await watch(client, fork);
	assert.deepEqual(live.value.background, []);
	const own = await say(agent, client, fork, 'tools: [{"name":"leaves","arguments":{}}]');
	assert.equal(own.background.length, 1, "its own it has");
});

test("a fork names the subagents of the calls it inherits, which stay its parent's", async (t) => {
	const delegates = defineTool({
		name: "delegates",
		description: "Makes a conversation.",
		parameters: obj({}),
		execute: async (_args, api, context) => {
			const ownership = { kind: "task", taskId: api.taskId } as const;
			await api.commit((tx) => tx.createConversation({ ownership }), context);
			return {};
		},
	});
	const agent = await startAgent(t, { tools: [delegates] });
	const client = await agent.connect();
	const session = await agent.session();
	const view = await say(agent, client, session, 'tools: [{"name":"delegates","arguments":{}}]');
	const subagentIn = ({ entries }: Pick<SessionView, "entries">) => {
		const result = entries.find(({ role }) => role === "toolResult");
		return result?.role === "toolResult" ? result.conversation : undefined;
	};
	const subagent = subagentIn(view);
	assert.ok(subagent !== undefined);
	const { session: fork } = await client.request("session.fork", { session, at: view.entries.at(-1)!.id });
	const live = await watch(client, fork);
	assert.equal(subagentIn(live.value), subagent);
	assert.equal(live.value.usage.subagents, undefined);
	const page = await client.request("session.entries", { session: fork, after: "1", limit: 100 });
	assert.equal(subagentIn(page), subagent);
	const child = await watch(client, subagent);
	assert.equal(child.value.session.parent?.session, session);
});

test("a reset takes place at once in an idle session; in a busy one it shows as waiting", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.connect();
	const session = await agent.session();
	await say(agent, client, session, "slow 1: one");
	const done = await client.request("session.reset", { session, note: "Go on.", requestId: "reset-1" });
	assert.deepEqual(
		await client.request("session.reset", { session, note: "Go on.", requestId: "reset-1" }),
		done,
	);
	const live = await watch(client, session);
	const entry = live.value.entries.at(-1)!;
	assert.deepEqual([entry.id, entry.kind, entry.text], [done.entry, "pi.reset", "Go on."]);
	await client.request("session.send", { session, content: "hang", requestId: "hang" });
	const waiting = await client.request("session.reset", { session, note: "Later." });
	assert.equal(waiting.entry, null);
	await until("it waits", () => live.value.inbox.length === 1);
	assert.deepEqual(live.value.inbox, [
		{ submission: waiting.submission, mode: "write", kind: "pi.reset", text: "Later." },
	]);
	await client.request("session.stop", { session });
});

test("only a session's own entries can be forked at, and only a session can be forked or reset", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.connect();
	const session = await agent.session();
	const view = await say(agent, client, session, "slow 1: one");
	const at = view.entries[0]!.id;
	for (const params of [
		{ session, at: "999999" },
		{ session: "999999", at },
		{ session, at: "x" },
	])
		await assert.rejects(client.request("session.fork", params), { code: "not_found" });
	await assert.rejects(client.request("session.reset", { session: "999999" }), { code: "not_found" });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { awaitWithContext, BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { obj } from "@earendil-works/pi-schema";
import { defineTool } from "../durable/index.ts";
import { until } from "../durable/testing/until.ts";
import type { Client, SessionListView, SessionView, Watch, WatchChange } from "../protocol/index.ts";
import { createReconnectingClient, MAX_SNAPSHOT_BYTES, type ProtocolError } from "../protocol/index.ts";
import { connectSocket } from "../protocol/node-socket-transport.ts";
import { PIXEL } from "../protocol/testing/valid-params.ts";
import { startAgent } from "./testing/agent.ts";

test("an answer travels as what is appended to it, and ends as an entry", async (t) => {
	const agent = await startAgent(t, { wordIntervalMs: 20 });
	const client = await agent.connect();
	const session = await agent.session("slow 30: word");
	const { changes, done } = await follow(client, session);
	await done;
	const appends = opsOf(changes).filter(
		([verb, path]) => verb === "a" && same(path, ["live", "partial", "text"]),
	);
	const sets = opsOf(changes).filter(
		([verb, path]) => verb === "s" && same(path, ["live", "partial", "text"]),
	);
	assert.ok(appends.length >= 3, `${appends.length} appends`);
	assert.equal(sets.length, 0);
});

test("who comes late gets one snapshot that is further along, then the rest; both end with the same", async (t) => {
	const agent = await startAgent(t, { wordIntervalMs: 20 });
	const session = await agent.session("slow 60: word");
	const early = await follow(await agent.connect(), session);
	await until("some words have come", () => (early.watch.value.live.partial?.text.length ?? 0) > 40);
	const late = await follow(await agent.connect(), session);
	assert.ok((late.values[0]!.live.partial?.text ?? "").startsWith("1:word 2:word"));
	assert.equal(late.changes[0]!.kind, "snapshot");
	await Promise.all([early.done, late.done]);
	await until("both have all", () => isSame(early.watch.value, late.watch.value));
	assert.equal(late.changes.filter(({ kind }) => kind === "snapshot").length, 1);
	assert.equal(agent.server.watched(), 1, "one live value serves both");
});

test("a client that leaves in the middle of an answer changes nothing for the session or for others", async (t) => {
	const agent = await startAgent(t, { wordIntervalMs: 10 });
	const session = await agent.session("slow 40: word");
	const leaving = await agent.connect();
	const first = await follow(leaving, session);
	await until("some words have come", () => (first.watch.value.live.partial?.text.length ?? 0) > 20);
	leaving.close();
	const back = await follow(await agent.connect(), session);
	await back.done;
	const answer = back.watch.value.entries.at(-1)!;
	assert.equal(answer.role, "assistant");
	assert.match(answer.text, /^1:word .*40:word$/);
});

test("the socket cut three times inside one answer: nothing doubled, nothing lost", async (t) => {
	const agent = await startAgent(t, { wordIntervalMs: 10 });
	const session = await agent.session();
	const transports: { close(): void }[] = [];
	const client = createReconnectingClient({
		client: "test 0",
		policy: () => 1,
		async connect() {
			const transport = await connectSocket(agent.path);
			transports.push(transport);
			return transport;
		},
	});
	t.after(() => client.close());
	const watch = client.watch("session.watch", { session }, { onValue() {} });
	await client.ready();
	const sent = client.request("session.send", { session, content: "slow 60: word", requestId: "once" });
	for (let cut = 1; cut <= 3; cut++) {
		await until("more words have come", () => (watch.value?.live.partial?.text.length ?? 0) > cut * 60);
		transports.at(-1)!.close();
		await until("the client is back", () => transports.length > cut && client.state.kind === "connected");
	}
	await sent;
	await until("the answer is there", () => watch.value?.submissions.at(-1)?.status === "done");
	assert.deepEqual(
		watch.value?.entries.map(({ role, text }) => [role, text.slice(0, 13), text.split(" ").length]),
		[
			["user", "slow 60: word", 3],
			["assistant", "1:word 2:word", 60],
		],
	);
});

test("retries show as the wait before the next of how many attempts", async (t) => {
	const agent = await startAgent(t, { retryMs: 100 });
	const session = await agent.session();
	const { values, done, watch } = await follow(await agent.connect(), session);
	await agent.sessions.send({ id: agent.id(session), content: "flaky 2: made it", requestId: "r" });
	await done;
	const retries = values.flatMap(({ live }) => (live.retry === undefined ? [] : [live.retry]));
	assert.deepEqual(
		new Set(retries.map(({ attempt, max }) => `${attempt} of ${max}`)),
		new Set(["1 of 3", "2 of 3"]),
	);
	assert.ok(values.some(({ session: { state } }) => state.kind === "waiting" && state.for === "retry"));
	assert.match(watch.value.entries.at(-1)!.text, /^made it/);
});

test("a client ends the wait before a retry, once; nothing waits afterwards", async (t) => {
	const agent = await startAgent(t, { retryMs: 600_000 });
	const session = await agent.session();
	const client = await agent.connect();
	const { done, watch } = await follow(client, session);
	assert.deepEqual(await client.request("session.tryNow", { session }), { tried: false });
	await agent.sessions.send({ id: agent.id(session), content: "flaky 1: made it", requestId: "r" });
	await until("the wait", () => watch.value.live.retry !== undefined);
	assert.deepEqual(await client.request("session.tryNow", { session }), { tried: true });
	await done;
	assert.match(watch.value.entries.at(-1)!.text, /^made it/);
	await assert.rejects(client.request("session.tryNow", { session: "999" }), { code: "not_found" });
});

test("calls show while they run, with their output and their tasks; afterwards as entries", async (t) => {
	const gate = Promise.withResolvers<void>();
	const agent = await startAgent(t, { tools: [talker(gate.promise)] });
	const session = await agent.session();
	const { values, watch, done } = await follow(await agent.connect(), session);
	const content = `tools: [{"name":"talker","arguments":{}},{"name":"nobody","arguments":{}}]`;
	await agent.sessions.send({ id: agent.id(session), content, requestId: "r" });
	await until("the call has said something", () => watch.value.live.tools[0]?.output === "so far\nand on");
	const running = watch.value;
	const [talking, refused] = running.live.tools;
	assert.equal(talking?.status, "running");
	assert.ok(typeof talking?.startedAt === "number");
	assert.equal(refused?.status, "done");
	assert.deepEqual(
		running.tasks.map(({ kind, name, status, children }) => ({
			kind,
			name,
			status,
			children: children.map((child) => [
				child.kind,
				child.name,
				child.status,
				child.callId === talking?.callId,
			]),
		})),
		[
			{
				kind: "generation",
				name: "generation",
				status: "waiting",
				children: [["tool", "talker", "running", true]],
			},
		],
	);
	gate.resolve();
	await done;
	const results = watch.value.entries.filter((entry) => entry.role === "toolResult");
	assert.deepEqual(
		results.map(({ toolName, text, isError }) => [toolName, text, isError]),
		[
			["nobody", "", true],
			["talker", "all of it", false],
		],
	);
	assert.equal(results[0]?.diagnostics?.[0]?.code, "tool_unavailable");
	assert.deepEqual(watch.value.tasks, [], "with no run going on there are no tasks to show");
	assert.deepEqual(watch.value.live.tools, []);
	const inRun = values.filter(({ tasks }) => tasks.some(({ status }) => status === "done"));
	assert.ok(inRun.length > 0, "a task that ended is shown while its run goes on");
});

test("a tail keeps the newest entries; old ones leave at the front with small operations", async (t) => {
	const agent = await startAgent(t);
	const session = await agent.session();
	const client = await agent.connect();
	const { changes, watch } = await follow(client, session, 4);
	for (let i = 0; i < 6; i++) {
		await agent.sessions.send({ id: agent.id(session), content: `slow 1: m${i}`, requestId: `r${i}` });
		await until("it is answered", () => watch.value.entries.at(-1)?.text === `1:m${i}`);
	}
	assert.deepEqual(
		watch.value.entries.map(({ text }) => text),
		["slow 1: m4", "1:m4", "slow 1: m5", "1:m5"],
	);
	assert.equal(watch.value.hasOlder, true);
	const largest = Math.max(...changes.slice(1).map((change) => JSON.stringify(change).length));
	assert.ok(largest < 4_000, `an event of ${largest} characters`);
	const fresh = await follow(await agent.connect(), session, 4);
	assert.deepEqual(fresh.watch.value, watch.value);
});

test("two tails of one session are two values with the same end", async (t) => {
	const agent = await startAgent(t);
	const session = await agent.session("slow 3: x");
	const client = await agent.connect();
	const short = await follow(client, session, 1);
	const long = await follow(client, session, 50);
	await Promise.all([short.done, long.done]);
	assert.equal(agent.server.watched(), 2);
	await until("they agree", () => isSame(short.watch.value.entries.at(-1), long.watch.value.entries.at(-1)));
	assert.deepEqual([short.watch.value.entries.length, short.watch.value.hasOlder], [1, true]);
	assert.deepEqual([long.watch.value.entries.length, long.watch.value.hasOlder], [2, false]);
	short.watch.stop();
	long.watch.stop();
	await until("nothing is kept", () => agent.server.watched() === 0);
});

test("what waits, what was sent and what becomes of it is in the view", async (t) => {
	const agent = await startAgent(t);
	const session = await agent.session("hang");
	const client = await agent.connect();
	const { watch } = await follow(client, session);
	const image = { type: "image" as const, data: PIXEL, mimeType: "image/png" as const };
	const queued = await client.request("session.send", {
		session,
		content: [{ type: "text", text: "look" }, image],
		requestId: "q",
	});
	await until("it is queued", () => watch.value.inbox.length === 1);
	assert.deepEqual(watch.value.inbox, [
		{
			submission: queued.submission,
			mode: "followUp",
			text: "look",
			images: [{ ref: `image:submission:${queued.submission}:0`, mimeType: "image/png", bytes: 70 }],
		},
	]);
	const { ref } = watch.value.inbox[0]!.images![0]!;
	const piece = await client.request("session.output", { session, call: ref, offset: 1, limit: 9 });
	assert.deepEqual(piece, { base64: "UE5HDQoaCgAA", offset: 1, total: 70, complete: true });
	await client.request("session.stop", { session });
	await until("all is settled", () => watch.value.submissions.every(({ status }) => status === "unanswered"));
	assert.deepEqual(watch.value.inbox, []);
});

test("the list is one value for all, and a change of one session is a change at its place", async (t) => {
	const agent = await startAgent(t);
	const one = await agent.session();
	const two = await agent.session();
	const changes: WatchChange[] = [];
	const client = await agent.connect();
	const watch: Watch<SessionListView> = await client.watch(
		"sessions.watch",
		{},
		{
			onValue: (_value, change) => void changes.push(change),
		},
	);
	assert.deepEqual(Object.keys(watch.value.sessions).sort(), [one, two].sort());
	assert.deepEqual(watch.value.counts, { total: 2, running: 0, waiting: 0, needsYou: 0, unread: 0 });
	await agent.sessions.send({ id: agent.id(one), content: "slow 2: x", requestId: "r" });
	await until("it has answered", () => watch.value.sessions[one]?.lastRun?.outcome === "answered");
	assert.equal(watch.value.counts.unread, 1);
	for (const op of opsOf(changes)) assert.ok(!JSON.stringify(op).includes(`"${two}"`), JSON.stringify(op));
	await client.request("session.configure", { session: two, archived: true });
	await until("it is gone", () => watch.value.sessions[two] === undefined);
	assert.equal(watch.value.hasMore, false);
});

test("a list with a limit leaves out the oldest idle sessions, never a busy one", async (t) => {
	const agent = await startAgent(t);
	const busy = await agent.session("hang");
	const idle: string[] = [];
	for (let i = 0; i < 4; i++) idle.push(await agent.session());
	const client = await agent.connect();
	const watch = await client.watch("sessions.watch", { limit: 3 }, { onValue() {} });
	assert.deepEqual(new Set(Object.keys(watch.value.sessions)), new Set([busy, idle[3]!, idle[2]!]));
	assert.equal(watch.value.hasMore, true);
	assert.equal(watch.value.counts.total, 5);
});

test("a snapshot is 2 MiB at most, whatever the session holds, and says what was cut", async (t) => {
	const agent = await startAgent(t);
	const session = await agent.session();
	const client = await agent.connect();
	const { watch } = await follow(client, session);
	const odd = '\u0001\u001b[31m"\\渐😀'.repeat(8_000);
	for (let i = 0; i < 8; i++)
		await client.request("session.send", { session, content: `error: ${odd}`, requestId: `r${i}` });
	await client.request("session.send", { session, content: "hang", requestId: "hang" });
	for (let i = 0; i < 210; i++)
		await agent.sessions.send({ id: agent.id(session), content: odd.slice(0, 9_000), requestId: `q${i}` });
	await until("all have come", () => watch.value.inbox.length >= 200);
	const fresh = await follow(await agent.connect(), session, 500);
	const bytes = Buffer.byteLength(JSON.stringify(fresh.watch.value));
	assert.ok(bytes <= MAX_SNAPSHOT_BYTES, `${bytes} bytes`);
	const cut = fresh.watch.value.entries.filter(({ cut }) => cut !== undefined);
	assert.ok(cut.length > 0);
	for (const { text, cut: mark } of cut) assert.equal(text.length, mark!.shown);
	const [first] = cut;
	const whole = await client.request("session.entries", { session, around: first!.id, limit: 1 });
	assert.equal(whole.entries[0]?.text.length, first!.cut!.total);
	assert.ok(whole.entries[0]!.text.startsWith(first!.text));
});

test("ending the agent answers what is being answered, ends the watches, and keeps nothing", async (t) => {
	const agent = await startAgent(t, { graceMs: 20 });
	const session = await agent.session("hang");
	const client = await agent.connect();
	const raw = await agent.raw();
	await raw.hello();
	const ended = Promise.withResolvers<ProtocolError>();
	await client.watch("session.watch", { session }, { onValue() {}, onEnd: ended.resolve });
	raw.send({ type: "request", id: "idle", method: "session.stop", params: { session: "none" } });
	assert.equal((await raw.next()).id, "idle");
	const asked = Promise.withResolvers<void>();
	agent.sessions.stop = () => {
		asked.resolve();
		return new Promise(() => {});
	};
	const outcome = client.request("session.stop", { session }).catch((error: ProtocolError) => error);
	await asked.promise;
	const closing = agent.server.close();
	const late = client.request("agent.info", {}).catch((error: ProtocolError) => error);
	await closing;
	assert.equal(((await late) as ProtocolError).code, "shutting_down");
	assert.equal((await ended.promise).code, "shutting_down");
	assert.equal(((await outcome) as ProtocolError).code, "shutting_down");
	await raw.ended;
	assert.equal(agent.server.connections(), 0);
	assert.equal(agent.server.watched(), 0);
});

test("a store that fails ends the watches instead of leaving them silent", async (t) => {
	const agent = await startAgent(t);
	const session = await agent.session();
	const client = await agent.connect();
	const ended = Promise.withResolvers<ProtocolError>();
	await client.watch("session.watch", { session }, { onValue() {}, onEnd: ended.resolve });
	await agent.harness.close(BACKGROUND_CONTEXT);
	assert.equal((await ended.promise).code, "shutting_down");
	await assert.rejects(client.request("session.send", { session, content: "x", requestId: "r" }), {
		code: "shutting_down",
	});
});

type Followed = {
	readonly watch: Watch<SessionView>;
	readonly values: SessionView[];
	readonly changes: WatchChange[];
	/** Resolves when a message of the session has been answered. */
	readonly done: Promise<void>;
};

async function follow(client: Client, session: string, tail?: number): Promise<Followed> {
	const values: SessionView[] = [];
	const changes: WatchChange[] = [];
	const done = Promise.withResolvers<void>();
	const watch = await client.watch(
		"session.watch",
		{ session, ...(tail === undefined ? {} : { tail }) },
		{
			onValue(value, change) {
				values.push(value);
				changes.push(change);
				if (value.submissions.at(-1)?.status === "done") done.resolve();
			},
		},
	);
	return { watch, values, changes, done: done.promise };
}

function opsOf(changes: readonly WatchChange[]) {
	return changes.flatMap((change) => (change.kind === "ops" ? change.ops : []));
}

function same(path: unknown, expected: readonly unknown[]): boolean {
	return JSON.stringify(path) === JSON.stringify(expected);
}

function isSame(left: unknown, right: unknown): boolean {
	return JSON.stringify(left) === JSON.stringify(right);
}

/** A tool that says something while it runs, and ends when it is let go. */
function talker(until: Promise<void>) {
	return defineTool({
		name: "talker",
		description: "Talks.",
		parameters: obj({}),
		replay: "safe",
		async execute(_args, api, context) {
			api.show("so far");
			api.show("so far\nand on");
			await awaitWithContext(until, context);
			return { content: [{ type: "text" as const, text: "all of it" }] };
		},
	});
}

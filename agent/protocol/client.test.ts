import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { connectClient, type WatchListener } from "./client.ts";
import type { ConnectionOptions } from "./connection.ts";
import type { ProtocolError } from "./errors.ts";
import { MAX_LINE_BYTES } from "./limits.ts";
import { connectSocket } from "./node-socket-transport.ts";
import { createManualTimer } from "./testing/manual-timer.ts";
import { type StubAgent, type StubConnection, startStubAgent, WELCOME } from "./testing/node-stub-agent.ts";
import { createQueue } from "./testing/queue.ts";
import { rejection } from "./testing/rejection.ts";
import type { SessionListView } from "./views.ts";
import type { WatchChange } from "./watch-follower.ts";

const NAME = { client: "test 1.0" };

async function dial(agent: StubAgent, options: Partial<ConnectionOptions> = {}) {
	const connecting = connectSocket(agent.path).then((transport) =>
		connectClient(transport, { ...NAME, ...options }),
	);
	// Looked at by the test, if it fails.
	connecting.catch(() => {});
	return { connecting, connection: await agent.connection() };
}

/** A client and the agent's end of its connection, after the welcome. */
async function connected(test: TestContext) {
	const agent = await startStubAgent(test);
	const { connecting, connection } = await dial(agent);
	await connection.welcome();
	const client = await connecting;
	test.after(() => client.close());
	return { agent, client, connection };
}

/** A listener that keeps what it hears. */
function recorder<V>() {
	const values = createQueue<{ value: V; change: WatchChange }>("a value");
	const ends = createQueue<ProtocolError>("an end");
	const listener: WatchListener<V> = {
		onValue: (value, change) => values.push({ value, change }),
		onEnd: (error) => ends.push(error),
	};
	return { values, ends, listener };
}

const event = (watch: string, seq: number, fields: object) => ({ type: "event", watch, seq, ...fields });

/** Answers the next watch request with an id and a first snapshot. */
async function answerWatch(connection: StubConnection, watch: string, snapshot: object): Promise<void> {
	const { id } = await connection.request("sessions.watch");
	connection.send({ type: "response", id, result: { watch } }, event(watch, 0, { snapshot }));
}

describe("connecting", { timeout: 60_000 }, () => {
	test("says hello with the versions and a name, and resolves with the welcome", async (t) => {
		const agent = await startStubAgent(t);
		const { connecting, connection } = await dial(agent);
		assert.deepEqual(await connection.welcome(), { type: "hello", protocols: [1], client: "test 1.0" });
		const client = await connecting;
		assert.deepEqual(client.welcome, WELCOME);
		client.close();
		await connection.closed;
	});

	test("an agent that speaks no shared version is a mismatch that names its versions", async (t) => {
		const agent = await startStubAgent(t);
		const { connecting, connection } = await dial(agent);
		await connection.next();
		const error = {
			code: "protocol_mismatch",
			message: "Agent 9 speaks 2.",
			data: { protocols: [2], agent: "9" },
		};
		connection.send({ type: "error", ...error });
		connection.end();
		const { code, message, data } = await rejection(connecting);
		assert.deepEqual({ code, message, data }, error);
	});

	test("a welcome in a version that wasn't offered is a mismatch too", async (t) => {
		const agent = await startStubAgent(t);
		const { connecting, connection } = await dial(agent);
		await connection.welcome({ protocol: 2 });
		const error = await rejection(connecting);
		assert.equal(error.code, "protocol_mismatch");
		assert.deepEqual(error.data, { protocols: [2], agent: "0.1.0" });
		await connection.closed;
	});

	test("no welcome in time is no answer, and ends the connection", async (t) => {
		const agent = await startStubAgent(t);
		const timer = createManualTimer();
		const { connecting, connection } = await dial(agent, { after: timer.after, welcomeTimeoutMs: 3000 });
		await connection.next();
		(await timer.of(3000)).fire();
		const error = await rejection(connecting);
		assert.equal(error.code, "no_answer");
		assert.match(error.message, /said nothing for 3 s/);
		await connection.closed;
	});

	test("a connection that ends before the welcome is lost", async (t) => {
		const agent = await startStubAgent(t);
		const { connecting, connection } = await dial(agent);
		await connection.next();
		connection.end();
		assert.equal((await rejection(connecting)).code, "connection_lost");
	});

	test("a signal gives up the wait for the welcome, and does nothing afterwards", async (t) => {
		const agent = await startStubAgent(t);
		const leave = new AbortController();
		const { connecting, connection } = await dial(agent, { signal: leave.signal });
		await connection.next();
		leave.abort();
		assert.match((await rejection(connecting)).message, /given up on this side/);
		await connection.closed;
		const late = await dial(agent, { signal: leave.signal });
		assert.match((await rejection(late.connecting)).message, /given up on this side/);

		const stay = new AbortController();
		const other = await dial(agent, { signal: stay.signal });
		await other.connection.welcome();
		const client = await other.connecting;
		t.after(() => client.close());
		stay.abort();
		assert.equal(client.closeReason, undefined);
	});

	for (const [what, line] of [
		["text", "HTTP/1.1 400 Bad Request\n"],
		["a list", "[]\n"],
		["a welcome that is none", '{"type":"welcome"}\n'],
	] as const)
		test(`something that answers with ${what} is told not to be an agent`, async (t) => {
			const agent = await startStubAgent(t);
			const { connecting, connection } = await dial(agent);
			connection.sendBytes(new TextEncoder().encode(line));
			const error = await rejection(connecting);
			assert.equal(error.code, "bad_message");
			assert.match(error.message, /doesn't speak its protocol/);
		});
});

describe("requests", { timeout: 60_000 }, () => {
	test("each gets its own response, in any order, also when several come in one piece", async (t) => {
		const { client, connection } = await connected(t);
		const first = client.request("session.withdraw", { session: "1", submission: "2" });
		const second = client.request("projects.allow", { directory: "/srv" });
		const one = await connection.request("session.withdraw");
		const two = await connection.request("projects.allow");
		assert.deepEqual(one.params, { session: "1", submission: "2" });
		assert.notEqual(one.id, two.id);
		const allowed = { directory: "/srv", added: true };
		const withdrawn = { submission: "2", status: "unanswered", reason: "withdrawn" };
		connection.send(
			{ type: "response", id: two.id, result: allowed },
			{ type: "response", id: one.id, result: withdrawn },
		);
		assert.deepEqual(await Promise.all([first, second]), [withdrawn, allowed]);
	});

	test("an error response rejects with its code, sentence and data; the connection stays", async (t) => {
		const { client, connection } = await connected(t);
		const asked = client.request("projects.allow", { directory: "/" });
		const { id } = await connection.request("projects.allow");
		const refusal = { code: "folder_not_allowed", message: "Not there.", data: { directory: "/" } };
		connection.send({ type: "response", id, error: refusal });
		const { code, message, data } = await rejection(asked);
		assert.deepEqual({ code, message, data }, refusal);
		assert.equal(client.closeReason, undefined);
	});

	test("lines of a newer agent, stray responses and stray events are passed over", async (t) => {
		const { client, connection } = await connected(t);
		const asked = client.request("projects.list", {});
		const { id } = await connection.request("projects.list");
		connection.send(
			{ type: "news", text: "x" },
			{ type: "response", id: "r999", result: {} },
			event("w9", 4, { ops: [] }),
			{ type: "error", code: "duplicate_hello", message: "x" },
			{ type: "response", id, result: { projects: [], roots: [] } },
		);
		assert.deepEqual(await asked, { projects: [], roots: [] });
	});

	test("pending ones reject when the connection drops, with what the connection ended for", async (t) => {
		const { client, connection } = await connected(t);
		const asked = [client.request("agent.info", {}), client.request("models.list", {})];
		await connection.request("agent.info");
		await connection.request("models.list");
		connection.destroy();
		const errors = await Promise.all(asked.map(rejection));
		assert.deepEqual(errors, [client.closeReason, client.closeReason]);
		assert.equal(client.closeReason?.code, "connection_lost");
		assert.equal(await client.closed, client.closeReason);
		assert.equal((await rejection(client.request("agent.info", {}))).code, "connection_lost");
	});

	test("what the agent says before it closes is the reason", async (t) => {
		const { client, connection } = await connected(t);
		connection.send({ type: "error", code: "bad_line", message: "That was no JSON." });
		connection.end();
		assert.equal((await client.closed).message, "That was no JSON.");
	});

	test("closing rejects what is pending and tells the agent by ending the connection", async (t) => {
		const { client, connection } = await connected(t);
		const asked = client.request("agent.info", {});
		client.close();
		client.close();
		assert.match((await rejection(asked)).message, /closed on this side/);
		await connection.closed;
	});

	test("a signal ends the wait; the late response is passed over", async (t) => {
		const { client, connection } = await connected(t);
		const leave = new AbortController();
		const stopping = client.request("session.stop", { session: "1" }, { signal: leave.signal });
		const { id } = await connection.request("session.stop");
		leave.abort(new Error("enough"));
		await assert.rejects(stopping, /enough/);
		connection.send({ type: "response", id, result: { stopped: true } });
		await assert.rejects(client.request("agent.info", {}, { signal: leave.signal }), /enough/);
		const asked = client.request("agent.info", {});
		const next = await connection.request("agent.info");
		connection.send({ type: "response", id: next.id, result: { version: "1" } });
		assert.deepEqual(await asked, { version: "1" });
	});

	test("a request that is too long is refused here, so that the connection isn't lost over it", async (t) => {
		const { client, connection } = await connected(t);
		const content = "é".repeat(MAX_LINE_BYTES / 2);
		const error = await rejection(client.request("session.send", { session: "1", content, requestId: "q" }));
		assert.equal(error.code, "line_too_long");
		void rejection(client.request("agent.info", {}));
		await connection.request("agent.info");
	});
});

describe("watches", { timeout: 60_000 }, () => {
	const list = (hasMore: boolean) => ({ sessions: {}, hasMore });

	test("resolve with the first snapshot and apply what follows", async (t) => {
		const { client, connection } = await connected(t);
		const { values, listener } = recorder<SessionListView>();
		const starting = client.watch("sessions.watch", { limit: 5 }, listener);
		await answerWatch(connection, "w1", list(false));
		const watch = await starting;
		assert.deepEqual(watch.value, list(false));
		connection.send(
			event("w1", 1, { ops: [["s", ["hasMore"], true]] }),
			event("w1", 2, { ops: [["s", ["sessions", "1"], { id: "1" }]] }),
		);
		const heard = [await values.next(), await values.next(), await values.next()];
		assert.deepEqual(
			heard.map(({ change }) => change.kind),
			["snapshot", "ops", "ops"],
		);
		assert.deepEqual(watch.value, { sessions: { 1: { id: "1" } }, hasMore: true });
		assert.deepEqual(heard[0]?.value, list(false));
	});

	test("a refused one rejects", async (t) => {
		const { client, connection } = await connected(t);
		const starting = client.watch("session.watch", { session: "9" }, { onValue: () => {} });
		const { id } = await connection.request("session.watch");
		connection.send({ type: "response", id, error: { code: "not_found", message: "No session 9." } });
		assert.equal((await rejection(starting)).code, "not_found");
	});

	for (const [what, broken] of [
		["a gap", event("w1", 2, { ops: [] })],
		["an operation that can't be applied", event("w1", 1, { ops: [["s", ["a", "b", "c"], 1]] })],
		["an operation that is none", event("w1", 1, { ops: [["?"]] })],
	] as const)
		test(`${what} makes it again: the old one is given up, a fresh snapshot follows`, async (t) => {
			const { client, connection } = await connected(t);
			const { values, ends, listener } = recorder<SessionListView>();
			const starting = client.watch("sessions.watch", {}, listener);
			await answerWatch(connection, "w1", list(false));
			const watch = await starting;
			await values.next();
			connection.send(broken, event("w1", 3, { ops: [["s", ["hasMore"], "never seen"]] }));
			assert.deepEqual((await connection.request("unwatch")).params, { watch: "w1" });
			await answerWatch(connection, "w2", list(true));
			const { value, change } = await values.next();
			assert.deepEqual({ value, change }, { value: list(true), change: { kind: "snapshot" } });
			assert.deepEqual(watch.value, list(true));
			assert.deepEqual([values.waiting, ends.waiting], [[], []]);
		});

	test("one that breaks three times without a good operation between ends as lost", async (t) => {
		const { client, connection } = await connected(t);
		const { ends, listener } = recorder<SessionListView>();
		void client.watch("sessions.watch", {}, listener);
		for (const id of ["w1", "w2", "w3"]) {
			await answerWatch(connection, id, list(false));
			connection.send(event(id, 1, { ops: [["?"]] }));
			assert.deepEqual((await connection.request("unwatch")).params, { watch: id });
		}
		assert.equal((await ends.next()).code, "watch_lost");
	});

	test("a good operation between breaks starts the count anew", async (t) => {
		const { client, connection } = await connected(t);
		const { values, ends, listener } = recorder<SessionListView>();
		void client.watch("sessions.watch", {}, listener);
		for (let round = 0; round < 5; round++) {
			const id = `w${round}`;
			await answerWatch(connection, id, list(false));
			connection.send(event(id, 1, { ops: [["s", ["hasMore"], true]] }), event(id, 2, { ops: [["?"]] }));
			await connection.request("unwatch");
		}
		await answerWatch(connection, "last", { sessions: {}, hasMore: "fresh" });
		let heard = await values.next();
		while ((heard.value.hasMore as unknown) !== "fresh") heard = await values.next();
		assert.deepEqual(ends.waiting, []);
	});

	test("stopping tells the agent, and nothing is heard afterwards", async (t) => {
		const { client, connection } = await connected(t);
		const { values, ends, listener } = recorder<SessionListView>();
		const starting = client.watch("sessions.watch", {}, listener);
		await answerWatch(connection, "w1", list(false));
		const watch = await starting;
		await values.next();
		watch.stop();
		watch.stop();
		assert.deepEqual((await connection.request("unwatch")).params, { watch: "w1" });
		connection.send(event("w1", 1, { ops: [["s", ["hasMore"], true]] }));
		connection.end();
		await client.closed;
		assert.deepEqual([values.waiting, ends.waiting], [[], []]);
		assert.deepEqual(watch.value, list(false));
	});

	test("an end by the agent, and the loss of the connection, are heard once", async (t) => {
		const { client, connection } = await connected(t);
		const ended = recorder<SessionListView>();
		const starting = client.watch("sessions.watch", {}, ended.listener);
		await answerWatch(connection, "w1", list(false));
		await starting;
		const lost = recorder<SessionListView>();
		const startingToo = client.watch("sessions.watch", {}, lost.listener);
		await answerWatch(connection, "w2", list(false));
		await startingToo;
		connection.send(event("w1", 1, { end: { code: "not_found", message: "Gone." } }));
		assert.equal((await ended.ends.next()).message, "Gone.");
		connection.destroy();
		assert.equal(await lost.ends.next(), client.closeReason);
		assert.deepEqual(ended.ends.waiting, []);
	});

	test("a listener that throws surfaces as uncaught and disturbs nothing else", async (t) => {
		const { client, connection } = await connected(t);
		const surfacing: (() => void)[] = [];
		t.mock.method(globalThis, "queueMicrotask", (run: () => void) => surfacing.push(run));
		const starting = client.watch(
			"sessions.watch",
			{},
			{
				onValue() {
					throw new Error("a bug in the window");
				},
			},
		);
		await answerWatch(connection, "w1", list(false));
		assert.deepEqual((await starting).value, list(false));
		assert.equal(surfacing.length, 1);
		assert.throws(() => surfacing[0]?.(), /a bug in the window/);
	});
});

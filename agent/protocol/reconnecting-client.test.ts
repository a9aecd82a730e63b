import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { type ProtocolError, protocolError } from "./errors.ts";
import { connectSocket } from "./node-socket-transport.ts";
import {
	type ConnectionState,
	createReconnectingClient,
	type ReconnectingClient,
	type ReconnectingOptions,
} from "./reconnecting-client.ts";
import { createManualTimer } from "./testing/manual-timer.ts";
import {
	type StubAgent,
	type StubConnection,
	startStubAgent,
	temporaryDirectory,
	WELCOME,
} from "./testing/node-stub-agent.ts";
import { createQueue, type Queue } from "./testing/queue.ts";
import { rejection } from "./testing/rejection.ts";
import type { SessionListView } from "./views.ts";

/** Tries again at once, for ever. */
const atOnce = () => 0;

function start(test: TestContext, path: string, options: Partial<ReconnectingOptions> = {}) {
	const client = createReconnectingClient({
		client: "test",
		connect: () => connectSocket(path),
		policy: atOnce,
		...options,
	});
	test.after(() => client.close());
	const states = createQueue<ConnectionState>("a state");
	client.onState((state) => states.push(state));
	return { client, states };
}

/** A client that is connected, and the agent's end of its connection. */
async function started(test: TestContext, options: Partial<ReconnectingOptions> = {}) {
	const agent = await startStubAgent(test);
	const { client, states } = start(test, agent.path, options);
	const connection = await agent.connection();
	await connection.welcome();
	await client.ready();
	return { agent, client, states, connection };
}

async function until(
	states: Queue<ConnectionState>,
	kind: ConnectionState["kind"],
): Promise<ConnectionState> {
	let state = await states.next();
	while (state.kind !== kind) state = await states.next();
	return state;
}

async function reconnected(agent: StubAgent): Promise<StubConnection> {
	const connection = await agent.connection();
	await connection.welcome();
	return connection;
}

function event(watch: string, seq: number, fields: object) {
	return { type: "event", watch, seq, ...fields };
}

async function answerWatch(connection: StubConnection, watch: string, snapshot: object): Promise<void> {
	const { id } = await connection.request("sessions.watch");
	connection.send({ type: "response", id, result: { watch } }, event(watch, 0, { snapshot }));
}

function watchList(client: ReconnectingClient) {
	const values = createQueue<SessionListView>("a value");
	const ends = createQueue<ProtocolError>("an end");
	const watch = client.watch(
		"sessions.watch",
		{},
		{ onValue: (value) => values.push(value), onEnd: (error) => ends.push(error) },
	);
	return { watch, values, ends };
}

const message = (requestId: string) => ({ session: "1", content: "Hello", requestId });
const submission = { submission: "5", status: "queued" };

describe("connecting", { timeout: 60_000 }, () => {
	test("is tried at once, and again as the policy says; the policy may start the agent first", async (t) => {
		const path = join(await temporaryDirectory(t), "agent.sock");
		const asked: string[] = [];
		let agent: StubAgent | undefined;
		const { client, states } = start(t, path, {
			async policy(failure, attempt) {
				asked.push(`${failure.code} ${attempt}`);
				if (attempt === 2) agent = await startStubAgent(t, path);
				return 0;
			},
		});
		assert.deepEqual(client.state, { kind: "connecting" });
		assert.equal((await until(states, "gone")).kind, "gone");
		const ready = client.ready();
		while (agent === undefined) await states.next();
		await (await agent.connection()).welcome();
		assert.deepEqual(await ready, WELCOME);
		assert.deepEqual(asked, ["not_running 1", "not_running 2"]);
		assert.deepEqual(client.state, { kind: "connected", welcome: WELCOME });
		assert.deepEqual(await client.ready(), WELCOME);
	});

	test("a policy that gives up is final until someone asks to try again", async (t) => {
		const path = join(await temporaryDirectory(t), "agent.sock");
		const { client } = start(t, path, { policy: () => undefined });
		const sending = client.request("session.send", message("q1"));
		const reason = await rejection(client.ready());
		assert.equal(reason.code, "not_running");
		assert.deepEqual(client.state, { kind: "gone", reason, next: { kind: "given_up" } });
		assert.equal(await rejection(sending), reason);
		assert.equal(await rejection(client.ready()), reason);
		assert.equal(await rejection(client.request("session.send", message("q2"))), reason);

		const agent = await startStubAgent(t, path);
		client.retry();
		const ready = client.ready();
		await reconnected(agent);
		assert.deepEqual(await ready, WELCOME);
	});

	test("a policy that fails gives up with its own reason", async (t) => {
		const path = join(await temporaryDirectory(t), "agent.sock");
		const why = protocolError("cannot_connect", "The agent could not be started: its log says why.");
		const { client } = start(t, path, { policy: () => Promise.reject(why) });
		assert.equal(await rejection(client.ready()), why);
	});

	test("the wait is shown, and can be cut short", async (t) => {
		const path = join(await temporaryDirectory(t), "agent.sock");
		const timer = createManualTimer();
		const { client, states } = start(t, path, { policy: () => 60_000, after: timer.after });
		const first = await timer.of(60_000);
		await until(states, "gone");
		const waiting = await states.next();
		assert.deepEqual("next" in waiting && waiting.next, { kind: "waiting", ms: 60_000 });
		const agent = await startStubAgent(t, path);
		client.retry();
		await reconnected(agent);
		await client.ready();
		first.fire();
		assert.equal(client.state.kind, "connected");
	});

	test("failures are counted on until a connection has held for 10 s", async (t) => {
		const agent = await startStubAgent(t);
		const timer = createManualTimer();
		const attempts = createQueue<number>("a failure");
		start(t, agent.path, {
			after: timer.after,
			policy(_failure, attempt) {
				attempts.push(attempt);
				return 7;
			},
		});
		const drop = async (connection: StubConnection) => {
			connection.destroy();
			const attempt = await attempts.next();
			(await timer.of(7)).fire();
			return attempt;
		};
		const counted: number[] = [];
		for (let round = 0; round < 3; round++) {
			const connection = await reconnected(agent);
			await timer.of(10_000);
			counted.push(await drop(connection));
		}
		const lasting = await reconnected(agent);
		// The first timer of 10 s of an attempt is the wait for the welcome.
		await timer.of(10_000);
		(await timer.of(10_000)).fire();
		counted.push(await drop(lasting));
		assert.deepEqual(counted, [1, 2, 3, 1]);
	});

	test("an agent of another version is shown as such, with both sides' versions, and asked again", async (t) => {
		const agent = await startStubAgent(t);
		const { client, states } = start(t, agent.path);
		const older = await agent.connection();
		await older.next();
		const data = { protocols: [2, 3], agent: "9.0" };
		older.send({ type: "error", code: "protocol_mismatch", message: "Update the older one.", data });
		older.end();
		const { reason, ...state } = (await until(states, "mismatch")) as Extract<
			ConnectionState,
			{ kind: "mismatch" }
		>;
		assert.deepEqual(state, {
			kind: "mismatch",
			ours: [1],
			theirs: [2, 3],
			agent: "9.0",
			next: { kind: "deciding" },
		});
		assert.equal(reason.message, "Update the older one.");
		await reconnected(agent);
		await client.ready();
	});
});

describe("requests over lost connections", { timeout: 60_000 }, () => {
	test("one with a request id is sent again until it has its response, the same each time", async (t) => {
		const { agent, client, connection } = await started(t);
		const sending = client.request("session.send", message("q1"));
		assert.deepEqual((await connection.request("session.send")).params, message("q1"));
		connection.destroy();
		const second = await reconnected(agent);
		assert.deepEqual((await second.request("session.send")).params, message("q1"));
		second.end();
		const third = await reconnected(agent);
		const { id, params } = await third.request("session.send");
		assert.deepEqual(params, message("q1"));
		third.send({ type: "response", id, result: submission });
		assert.deepEqual(await sending, submission);
	});

	test("several are sent again in the order they were made", async (t) => {
		const { agent, client, connection } = await started(t);
		for (const id of ["q1", "q2", "q3"]) client.request("session.send", message(id)).catch(() => {});
		for (let sent = 0; sent < 3; sent++) await connection.request("session.send");
		connection.destroy();
		const next = await reconnected(agent);
		const again: unknown[] = [];
		for (let sent = 0; sent < 3; sent++) again.push((await next.request("session.send")).params.requestId);
		assert.deepEqual(again, ["q1", "q2", "q3"]);
	});

	test("any other is never sent again: it rejects, and the next connection doesn't carry it", async (t) => {
		const { agent, client, connection } = await started(t);
		const stopping = client.request("session.stop", { session: "1" });
		await connection.request("session.stop");
		connection.destroy();
		assert.equal((await rejection(stopping)).code, "connection_lost");
		const next = await reconnected(agent);
		await client.ready();
		client.request("projects.list", {}).catch(() => {});
		await next.request("projects.list");
	});

	test("without a connection one with a request id waits, and any other rejects at once", async (t) => {
		const agent = await startStubAgent(t);
		const { client } = start(t, agent.path);
		const sending = client.request("session.send", message("q1"));
		assert.match(
			(await rejection(client.request("agent.info", {}))).message,
			/no connection to the agent now/,
		);
		const connection = await reconnected(agent);
		const { id } = await connection.request("session.send");
		connection.send({ type: "response", id, result: submission });
		assert.deepEqual(await sending, submission);
	});

	test("an error response is an answer: it isn't sent again", async (t) => {
		const { client, connection } = await started(t);
		const sending = client.request("session.send", message("q1"));
		const { id } = await connection.request("session.send");
		connection.send({ type: "response", id, error: { code: "busy", message: "Busy." } });
		assert.equal((await rejection(sending)).code, "busy");
	});

	test("an agent that is ending hands a message with a request id on to the next one", async (t) => {
		const { agent, client, connection } = await started(t);
		const sending = client.request("session.send", message("q1"));
		const refused = await connection.request("session.send");
		connection.send({ type: "response", id: refused.id, error: { code: "shutting_down", message: "Bye." } });
		connection.end();
		const next = await reconnected(agent);
		const { id } = await next.request("session.send");
		next.send({ type: "response", id, result: submission });
		assert.deepEqual(await sending, submission);
	});

	test("one that the agent closes the connection over isn't sent again", async (t) => {
		const { client, connection } = await started(t);
		const sending = client.request("session.send", message("q1"));
		await connection.request("session.send");
		connection.send({ type: "error", code: "bad_line", message: "Not JSON." });
		connection.end();
		assert.equal((await rejection(sending)).code, "bad_line");
	});

	test("one that five connections ended over isn't sent a sixth time", async (t) => {
		const { agent, client, connection } = await started(t);
		const sending = client.request("session.send", message("q1"));
		let current = connection;
		for (let sent = 1; sent <= 5; sent++) {
			await current.request("session.send");
			current.destroy();
			if (sent < 5) current = await reconnected(agent);
		}
		assert.equal((await rejection(sending)).code, "connection_lost");
	});

	test("a signal takes back one that waits for a connection", async (t) => {
		const agent = await startStubAgent(t);
		const { client } = start(t, agent.path);
		const leave = new AbortController();
		const sending = client.request("session.send", message("q1"), { signal: leave.signal });
		leave.abort(new Error("enough"));
		await assert.rejects(sending, /enough/);
		const connection = await reconnected(agent);
		await client.ready();
		client.request("projects.list", {}).catch(() => {});
		await connection.request("projects.list");
	});
});

describe("watches over lost connections", { timeout: 60_000 }, () => {
	const list = (today: number) => ({ sessions: {}, today });

	test("are made again with a fresh snapshot; the last value stays meanwhile", async (t) => {
		const { agent, client, connection } = await started(t);
		const { watch, values, ends } = watchList(client);
		assert.equal(watch.value, undefined);
		await answerWatch(connection, "w1", list(1));
		assert.deepEqual(await values.next(), list(1));
		connection.destroy();
		const next = await reconnected(agent);
		assert.deepEqual(watch.value, list(1));
		await answerWatch(next, "w1", list(2));
		assert.deepEqual(await values.next(), list(2));
		next.send(event("w1", 1, { ops: [["s", ["today"], 3]] }));
		assert.deepEqual(await values.next(), list(3));
		assert.deepEqual(watch.value, list(3));
		assert.deepEqual(ends.waiting, []);
	});

	test("may be asked for before there is a connection", async (t) => {
		const agent = await startStubAgent(t);
		const { client } = start(t, agent.path);
		const { values } = watchList(client);
		const connection = await reconnected(agent);
		await answerWatch(connection, "w1", list(1));
		assert.deepEqual(await values.next(), list(1));
	});

	test("one that the agent refuses or ends is over, and isn't made again", async (t) => {
		const { agent, client, connection } = await started(t);
		const refused = watchList(client);
		const { id } = await connection.request("sessions.watch");
		connection.send({ type: "response", id, error: { code: "internal", message: "Broken." } });
		assert.equal((await refused.ends.next()).code, "internal");
		const ended = watchList(client);
		await answerWatch(connection, "w2", list(1));
		connection.send(event("w2", 1, { end: { code: "not_found", message: "Gone." } }));
		assert.equal((await ended.ends.next()).code, "not_found");
		connection.destroy();
		const next = await reconnected(agent);
		await client.ready();
		client.request("projects.list", {}).catch(() => {});
		await next.request("projects.list");
	});

	test("one that ends because the agent is ending goes on with the next one", async (t) => {
		const { agent, client, connection } = await started(t);
		const { values, ends } = watchList(client);
		await answerWatch(connection, "w1", list(1));
		await values.next();
		connection.send(event("w1", 1, { end: { code: "shutting_down", message: "Bye." } }));
		connection.end();
		await answerWatch(await reconnected(agent), "w1", list(2));
		assert.deepEqual(await values.next(), list(2));
		assert.deepEqual(ends.waiting, []);
	});

	test("a stopped one isn't made again, also when it was stopped without a connection", async (t) => {
		const { agent, client, states, connection } = await started(t);
		const { watch, values } = watchList(client);
		await answerWatch(connection, "w1", list(1));
		await values.next();
		connection.destroy();
		await until(states, "gone");
		watch.stop();
		const next = await reconnected(agent);
		await client.ready();
		client.request("projects.list", {}).catch(() => {});
		await next.request("projects.list");
		assert.deepEqual(watch.value, list(1));
	});

	test("one stopped while it is being made is given up as soon as it is there", async (t) => {
		const { client, connection } = await started(t);
		const { watch, values } = watchList(client);
		const { id } = await connection.request("sessions.watch");
		watch.stop();
		connection.send({ type: "response", id, result: { watch: "w1" } }, event("w1", 0, { snapshot: list(1) }));
		assert.deepEqual((await connection.request("unwatch")).params, { watch: "w1" });
		assert.deepEqual(values.waiting, []);
	});

	test("a text that streams while the connection is cut three times arrives whole, nothing twice", async (t) => {
		const agent = await startStubAgent(t);
		const { client } = start(t, agent.path);
		const { values } = watchList(client);
		const words = Array.from({ length: 40 }, (_, index) => `word${index} `);
		let text = "";
		for (let cut = 0; cut < 4; cut++) {
			const connection = await reconnected(agent);
			await answerWatch(connection, "w1", { text });
			for (let seq = 1; seq <= 10; seq++) {
				const word = words.shift() ?? "";
				text += word;
				connection.send(event("w1", seq, { ops: [["a", ["text"], word]] }));
			}
			if (cut < 3) connection.destroy();
		}
		let seen = "";
		while (seen !== text) {
			seen = ((await values.next()) as unknown as { text: string }).text;
			assert.ok(text.startsWith(seen), seen);
		}
	});
});

describe("closing", { timeout: 60_000 }, () => {
	test("rejects what waits, ends watches and the connection, and is final", async (t) => {
		const { client, connection } = await started(t);
		const { ends } = watchList(client);
		await answerWatch(connection, "w1", {});
		const sending = rejection(client.request("session.send", message("q1")));
		const asking = rejection(client.request("projects.list", {}));
		client.close();
		client.close();
		client.retry();
		await connection.closed;
		assert.match((await sending).message, /client was closed/);
		assert.match((await asking).message, /closed on this side/);
		assert.match((await ends.next()).message, /client was closed/);
		assert.deepEqual(client.state, { kind: "closed" });
		assert.match((await rejection(client.ready())).message, /client was closed/);
		for (const method of ["projects.list", "models.list"] as const)
			assert.match((await rejection(client.request(method, {}))).message, /client was closed/);
		assert.match(
			(await rejection(client.request("session.send", message("q2")))).message,
			/client was closed/,
		);
	});

	test("in the middle of connecting leaves no connection behind", async (t) => {
		const agent = await startStubAgent(t);
		const { client } = start(t, agent.path);
		const connection = await agent.connection();
		const ready = rejection(client.ready());
		await connection.next();
		client.close();
		assert.match((await ready).message, /client was closed/);
		await connection.closed;
	});

	test("while it waits ends the waiting", async (t) => {
		const path = join(await temporaryDirectory(t), "agent.sock");
		const timer = createManualTimer();
		const { client } = start(t, path, { policy: () => 5000, after: timer.after });
		const wait = await timer.of(5000);
		client.close();
		wait.fire();
		assert.deepEqual(client.state, { kind: "closed" });
	});
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../durable/testing/until.ts";
import { AVAILABLE_METHODS, encodeFrame, type JsonObject, MAX_LINE_BYTES } from "../protocol/index.ts";
import { healthyAnd, startAgent } from "./testing/agent.ts";

test("a hello is answered with the version, the agent and what it can do", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.raw();
	const welcome = await client.hello();
	assert.equal(welcome.type, "welcome");
	assert.equal(welcome.protocol, 1);
	assert.equal(welcome.agent, "0.1.0");
	assert.equal(welcome.pid, process.pid);
	assert.deepEqual(welcome.capabilities, AVAILABLE_METHODS);
});

test("a client is welcomed before the agent is ready, and its requests are answered once it is", async (t) => {
	const { promise: ready, resolve } = Promise.withResolvers<void>();
	const agent = await startAgent(t, { ready });
	const client = await agent.raw();
	assert.equal((await client.hello()).type, "welcome");
	client.send({ type: "request", id: "waits", method: "sessions.list", params: {} });
	client.send({ type: "request", id: "wrong", method: "sessions.list", params: 3 });
	assert.equal((await client.next()).id, "wrong");
	resolve();
	const answered = await client.next();
	assert.equal(answered.id, "waits");
	assert.equal(codeOf(answered), undefined);
});

test("requests to an agent that can't become ready are answered with an error", async (t) => {
	const { promise: ready, reject } = Promise.withResolvers<void>();
	const agent = await startAgent(t, { ready });
	const client = await agent.raw();
	await client.hello();
	client.send({ type: "request", id: "r", method: "agent.info", params: {} });
	reject(new Error("no sessions"));
	assert.equal(codeOf(await client.next()), "internal");
	assert.ok(
		agent.log.some(({ fields }) =>
			/no sessions/.test(JSON.stringify(fields) + String(Object.values(fields))),
		),
	);
});

test("a client that shares no version is told which ones the agent speaks, and the connection closes", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.raw();
	client.send({ type: "hello", protocols: [7, 8], client: "newer 1" });
	const error = await client.next();
	assert.equal(error.code, "protocol_mismatch");
	assert.deepEqual(error.data, { protocols: [1], agent: "0.1.0" });
	await client.ended;
});

test("a request before the hello is refused, and the connection goes on", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.raw();
	const refused = await client.request("agent.info");
	assert.equal(codeOf(refused), "unexpected_message");
	assert.equal((await client.hello()).type, "welcome");
	assert.equal(codeOf(await client.request("agent.info")), undefined);
});

test("what a client may not say gets an error each time, and the connection goes on", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.raw();
	await client.hello();
	const cases: [object, string][] = [
		[{ type: "hello", protocols: [1], client: "again" }, "duplicate_hello"],
		[{ type: "event", watch: "w1", seq: 0, snapshot: 1 }, "unexpected_message"],
		[{ type: "response", id: "r1", result: 1 }, "unexpected_message"],
		[{ type: "welcome" }, "unexpected_message"],
		[{ type: "surprise" }, "bad_message"],
		[{}, "bad_message"],
		[{ type: "request", method: "agent.info" }, "bad_message"],
	];
	for (const [message, code] of cases) {
		client.send(message);
		const error = await client.next();
		assert.equal(error.type, "error");
		assert.equal(error.code, code);
	}
	client.send({ type: "request", id: "r1", method: "agent.info", params: 3 });
	const response = await client.next();
	assert.equal(response.id, "r1");
	assert.equal(codeOf(response), "invalid_params");
	assert.equal(codeOf(await client.request("agent.info")), undefined);
});

test("an id that has no response yet can't be used again, and its own response still comes, once", async (t) => {
	const agent = await startAgent(t);
	const session = await agent.session("hang");
	const client = await agent.raw();
	await client.hello();
	client.send({ type: "request", id: "same", method: "session.stop", params: { session } });
	client.send({ type: "request", id: "same", method: "agent.info", params: {} });
	client.send({ type: "request", id: "same", method: "agent.info", params: [] });
	const [first, second, third] = [await client.next(), await client.next(), await client.next()];
	for (const error of [first, second]) {
		assert.equal(error.code, "duplicate_request");
		assert.deepEqual(error.data, { id: "same" });
	}
	assert.deepEqual(third, { type: "response", id: "same", result: { stopped: true } });
	assert.equal(codeOf(await client.request("agent.info")), undefined);
});

test("a request that waits holds no other one up", async (t) => {
	const agent = await startAgent(t);
	const session = await agent.session("hang");
	const client = await agent.connect();
	const order: string[] = [];
	const stopped = client.request("session.stop", { session }).then(() => order.push("stop"));
	await client.request("agent.info", {}).then(() => order.push("info"));
	await stopped;
	assert.deepEqual(order, ["info", "stop"]);
});

for (const [what, line, code] of [
	["isn't JSON", "{nonsense}\n", "bad_line"],
	["is no object", "[1,2]\n", "bad_line"],
	["is empty", "\n", "bad_line"],
	["isn't UTF-8", Buffer.from([0x7b, 0xff, 0x7d, 0x0a]), "bad_line"],
	["holds too many values", `{"a":[${"0,".repeat(100_000)}0]}\n`, "bad_line"],
] as const)
	test(`a line that ${what} gets an error and ends its own connection only`, async (t) => {
		const agent = await startAgent(t);
		const other = await agent.connect();
		const client = await agent.raw();
		await client.hello();
		client.write(line);
		const error = await client.next();
		assert.equal(error.type, "error");
		assert.equal(error.code, code);
		await client.ended;
		client.close();
		await until("the connection is gone", () => agent.server.connections() === 1);
		assert.equal((await other.request("agent.info", {})).pid, process.pid);
	});

test("a line over 32 MiB gets an error, also when the client is still writing it", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.raw();
	await client.hello();
	client.write(Buffer.alloc(MAX_LINE_BYTES + 1, 0x20));
	client.write(Buffer.alloc(4 * 1024 * 1024, 0x20));
	const error = await client.next();
	assert.equal(error.code, "line_too_long");
	await client.ended;
});

test("a line of just 32 MiB is read", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.raw();
	await client.hello();
	const message = { type: "request", id: "big", method: "agent.info", params: {}, filler: "" };
	const room = MAX_LINE_BYTES + 1 - encodeFrame(message).length;
	client.send({ ...message, filler: "x".repeat(room) });
	const response = await client.next();
	assert.equal(response.id, "big");
	assert.equal(codeOf(response), "invalid_params");
});

test("lines are framed on the newline alone, however the bytes are cut", async (t) => {
	const agent = await startAgent(t);
	const directory = await agent.folder("渐😀é");
	const client = await agent.raw();
	await client.hello();
	const request = {
		type: "request",
		id: "u",
		method: "sessions.create",
		params: { directory, title: "a\u2028b", requestId: "r" },
	};
	for (const byte of encodeFrame(request)) client.write(Uint8Array.of(byte));
	const { session } = (await client.next()).result as { session: string };
	assert.equal(agent.sessions.get(agent.id(session))?.record.directory, directory);
});

test("a client that says it sends no more still gets every response, and the snapshot of what it watches", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.raw();
	client.send(
		{ type: "hello", protocols: [1], client: "pipe 0" },
		{ type: "request", id: "a", method: "agent.info" },
		{ type: "request", id: "b", method: "sessions.watch" },
	);
	client.socket.end();
	assert.equal((await client.next()).type, "welcome");
	const lines: JsonObject[] = [await client.next(), await client.next(), await client.next()];
	assert.deepEqual(new Set(lines.map(({ id, type }) => id ?? type)), new Set(["a", "b", "event"]));
	await client.ended;
	await until("nothing is kept", () => agent.server.connections() === 0 && agent.server.watched() === 0);
});

test("a client that sends no more and reads slowly is still sent everything", async (t) => {
	const agent = await startAgent(t);
	const session = await agent.session();
	for (let i = 0; i < 3; i++)
		await agent.sessions.send({
			id: agent.id(session),
			content: `error: ${"x".repeat(3_000_000)}`,
			requestId: `r${i}`,
		});
	const { entries } = await (await agent.connect()).request("session.entries", {
		session,
		after: "1",
		limit: 9,
	});
	const client = await agent.raw();
	client.pause();
	client.send(
		{ type: "hello", protocols: [1], client: "pipe 0" },
		...entries.map(({ id }) => ({
			type: "request",
			id,
			method: "session.entries",
			params: { session, around: id, limit: 1 },
		})),
	);
	client.socket.end();
	await until("all are answered as far as the client takes it", () => client.socket.writableFinished);
	client.resume();
	assert.equal((await client.next()).type, "welcome");
	const answered = new Set<unknown>();
	for (const _ of entries) answered.add((await client.next()).id);
	assert.deepEqual(answered, new Set(entries.map(({ id }) => id)));
	await client.ended;
});

test("a client that goes in the middle of everything leaves nothing behind", async (t) => {
	const agent = await startAgent(t);
	const session = await agent.session("slow 200: x");
	for (let round = 0; round < 20; round++) {
		const client = await agent.raw();
		client.send(
			{ type: "hello", protocols: [1], client: "short 0" },
			{ type: "request", id: "a", method: "session.watch", params: { session } },
			{ type: "request", id: "b", method: "sessions.watch" },
			{ type: "request", id: "c", method: "session.stop", params: { session, run: "999" } },
		);
		if (round % 2 === 0) await client.next();
		client.close();
	}
	await until("nothing is kept", () => agent.server.connections() === 0 && agent.server.watched() === 0);
	assert.deepEqual(
		agent.log.filter(({ level }) => level === "error"),
		[],
	);
});

test("a hundred watches are the most that one connection can have", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.raw();
	await client.hello();
	for (let i = 0; i < 100; i++)
		assert.equal(codeOf(await client.request("sessions.watch", { limit: 1 + i })), undefined);
	const refused = await client.request("sessions.watch");
	assert.equal(codeOf(refused), "invalid_params");
	assert.match(JSON.stringify(refused), /100 watches at once; end one with unwatch first/);
	await client.request("unwatch", { watch: "w1" });
	assert.equal(codeOf(await client.request("sessions.watch")), undefined);
	assert.equal(agent.server.watched(), 100);
});

test("a client that asks and never reads has its requests wait; other clients don't notice, and none is lost", async (t) => {
	let handled = 0;
	const health = healthyAnd(() => handled++);
	const agent = await startAgent(t, { health });
	const other = await agent.connect();
	const client = await agent.raw();
	await client.hello();
	client.pause();
	const requests = 20_000;
	for (let id = 0; id < requests; id++)
		client.send({ type: "request", id: `r${id}`, method: "agent.info", params: {} });
	// Each answer to the other client is a turn in which the agent could have read on.
	for (let turn = 0; turn < 500; turn++) await other.request("projects.list", {});
	assert.ok(handled < 4_000, `${handled} requests were handled for a client that reads nothing`);
	client.resume();
	const seen = new Set<unknown>();
	while (seen.size < requests) seen.add((await client.next()).id);
	assert.equal(handled, requests);
});

function codeOf(response: JsonObject): unknown {
	return (response.error as JsonObject | undefined)?.code;
}

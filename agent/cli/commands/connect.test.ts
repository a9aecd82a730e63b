import assert from "node:assert/strict";
import { test } from "node:test";
import { connectClient } from "../../protocol/index.ts";
import { streamTransport } from "../../protocol/node-stream-transport.ts";
import { agentProgram } from "../testing/agents.ts";
import { makePlace } from "../testing/place.ts";
import { outlive, startOutlive } from "../testing/run-outlive.ts";
import { startTestAgent, WELCOME } from "../testing/test-agent.ts";
import { summary, view } from "../testing/views.ts";

const LIST = { sessions: [summary()], cursor: null, total: 1 };

test("a client speaks the protocol over connect's standard input and output", async (context) => {
	const place = makePlace(context);
	const agent = await startTestAgent(context, place, {
		handlers: { "sessions.list": () => LIST, "session.watch": () => view({ hasOlder: true }) },
	});
	const running = startOutlive(context, place, ["connect"]);
	const { child } = running;
	child.stdout.removeAllListeners("data");
	// The transport reads bytes.
	const bytes = child.stdout.map((text: string) => Buffer.from(text));
	const client = await connectClient(
		streamTransport({ input: bytes, output: child.stdin, destroy: () => child.stdin.end() }),
		{ client: "test 1" },
	);
	assert.deepEqual(client.welcome, WELCOME);
	assert.deepEqual(await client.request("sessions.list", {}), LIST);
	const watch = await client.watch("session.watch", { session: "7" }, { onValue() {} });
	assert.equal(watch.value.hasOlder, true);
	client.close();
	assert.deepEqual((await running.finished()).code, 0);
	assert.equal(agent.requests.length >= 2, true);
});

test("answers that are on their way when the input ends still arrive", async (context) => {
	const place = makePlace(context);
	await startTestAgent(context, place, {
		handlers: { "sessions.list": () => new Promise((resolve) => setImmediate(resolve, LIST)) },
	});
	const input = [
		{ type: "hello", protocols: [1], client: "test 1" },
		{ type: "request", id: "r1", method: "sessions.list", params: {} },
	];
	const { code, stdout } = await outlive(context, place, ["connect"], {
		input: input.map((line) => `${JSON.stringify(line)}\n`).join(""),
	});
	assert.equal(code, 0);
	assert.deepEqual(
		stdout
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line).type),
		["welcome", "response"],
	);
});

test("when there is no agent to be had, the other end hears why in the protocol's own words", async (context) => {
	const place = makePlace(context);
	const env = agentProgram(place, `throw new Error("no room");`);
	const { code, stdout, stderr } = await outlive(context, place, ["connect"], { env });
	assert.equal(code, 3);
	const said = JSON.parse(stdout);
	assert.equal(said.type, "error");
	assert.equal(said.code, "agent_not_started");
	assert.match(stderr, /no room/);
});

test("an agent that goes ends connect with exit 3", async (context) => {
	const place = makePlace(context);
	const agent = await startTestAgent(context, place);
	const running = startOutlive(context, place, ["connect"]);
	running.child.stdin.write(`${JSON.stringify({ type: "hello", protocols: [1], client: "test 1" })}\n`);
	await running.prints(/"welcome"/);
	await agent.stop();
	const { code, stderr } = await running.finished();
	assert.equal(code, 3);
	assert.match(stderr, /The agent closed the connection/);
});

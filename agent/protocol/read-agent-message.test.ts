import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "./json.ts";
import { readAgentMessage } from "./read-agent-message.ts";
import { randomJson, randomObject, seededRandom } from "./testing/random.ts";

const read = (line: unknown) => readAgentMessage(line as JsonObject);

const WELCOME = {
	type: "welcome",
	protocol: 1,
	agent: "0.1.0",
	pid: 7,
	startedAt: 8,
	capabilities: ["usage"],
};
const ERROR = { code: "busy", message: "Wait." };

describe("a line from the agent", () => {
	for (const line of [
		WELCOME,
		{ type: "response", id: "r1", result: null },
		{ type: "response", id: "r1", result: { a: 1 } },
		{ type: "response", id: "r1", error: ERROR },
		{ type: "event", watch: "w1", seq: 0, snapshot: { a: 1 } },
		{ type: "event", watch: "w1", seq: 0, snapshot: null },
		{ type: "event", watch: "w1", seq: 1, ops: [["s", ["a"], 2]] },
		{ type: "event", watch: "w1", seq: 2, end: { ...ERROR, data: { a: 1 } } },
		{ type: "error", ...ERROR },
	]) {
		test(`${JSON.stringify(line)} is read as it is`, () => assert.deepEqual(read(line), line));
		test(`fields that a newer agent adds to it are ignored: ${JSON.stringify(line)}`, () =>
			assert.deepEqual(read({ ...line, added: 1 }), line));
	}

	test("a type of a newer agent is told apart from nonsense", () => {
		assert.equal(read({ type: "progress", a: 1 }), "unknown");
		assert.equal(read({}), "malformed");
		assert.equal(read({ type: 5 }), "malformed");
	});

	for (const line of [
		{ ...WELCOME, protocol: "1" },
		{ ...WELCOME, capabilities: [1] },
		{ type: "response", id: 1, result: {} },
		{ type: "response", id: "r1" },
		{ type: "response", id: "r1", error: "busy" },
		{ type: "response", id: "r1", error: { code: "busy" } },
		{ type: "event", watch: "w1", seq: "0", snapshot: {} },
		{ type: "event", watch: "w1", seq: 0 },
		{ type: "event", watch: "w1", seq: 0, ops: {} },
		{ type: "error", message: "x" },
	])
		test(`${JSON.stringify(line)} is no line of an agent`, () => assert.equal(read(line), "malformed"));

	test("no object makes it throw", (t) => {
		const random = seededRandom(t);
		for (let round = 0; round < 2000; round++) {
			const type = random.pick(["welcome", "response", "event", "error", "x"]);
			const key = random.pick(["error", "ops", "end", "snapshot", "result", "capabilities"]);
			read({ type, id: "r1", watch: "w1", seq: 0, ...randomObject(random), [key]: randomJson(random) });
		}
	});
});

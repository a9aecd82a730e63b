import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "./json.ts";
import { readClientMessage } from "./read-client-message.ts";
import { randomObject, seededRandom } from "./testing/random.ts";

const read = (line: unknown) => readClientMessage(line as JsonObject);

function refusal(line: unknown): { id: string | undefined; code: string } {
	const message = read(line);
	assert.equal(message.ok, false, JSON.stringify(line));
	return message.ok ? { id: undefined, code: "" } : { id: message.id, code: message.error.code };
}

describe("a line from a client", () => {
	test("a hello is read, and what a newer client adds to it is ignored", () => {
		const line = { type: "hello", protocols: [2, 1], client: "outlive-app 9.0", extra: true };
		assert.deepEqual(read(line), {
			ok: true,
			message: { type: "hello", protocols: [2, 1], client: "outlive-app 9.0" },
		});
	});

	for (const wrong of [
		{},
		{ protocols: 1 },
		{ protocols: [] },
		{ protocols: ["1"] },
		{ protocols: [0] },
		{ protocols: [1.5] },
		{ protocols: Array(101).fill(1) },
		{ client: "" },
		{ client: 5 },
		{ client: "x".repeat(201) },
	])
		test(`a hello with ${JSON.stringify(wrong).slice(0, 40)} is no message`, () => {
			const complete = Object.keys(wrong).length === 0 ? {} : { protocols: [1], client: "c" };
			assert.deepEqual(refusal({ type: "hello", ...complete, ...wrong }), {
				id: undefined,
				code: "bad_message",
			});
		});

	test("a request is read, and params may be left out", () => {
		const request = { type: "request", id: "r1", method: "agent.info", params: {} };
		assert.deepEqual(read(request), { ok: true, message: request });
		const { params: _, ...bare } = request;
		assert.deepEqual(read(bare), { ok: true, message: request });
	});

	test("a request without a usable id can't be answered, so it is no message", () => {
		for (const id of [undefined, null, 1, "", "x".repeat(201), {}])
			assert.deepEqual(refusal({ type: "request", id, method: "m" }), { id: undefined, code: "bad_message" });
	});

	test("a request that is wrong in another way is answered under its id", () => {
		const wrong = [
			{},
			{ method: 5 },
			{ method: "m", params: [] },
			{ method: "m", params: null },
			{ method: "m", params: "x" },
			{ method: "m", extra: 1 },
		];
		for (const fields of wrong)
			assert.deepEqual(refusal({ type: "request", id: "r1", ...fields }), {
				id: "r1",
				code: "invalid_params",
			});
	});

	test("what only an agent says is unexpected from a client", () => {
		for (const type of ["welcome", "response", "event", "error"])
			assert.deepEqual(refusal({ type }), { id: undefined, code: "unexpected_message" });
	});

	test("any other type is no message", () => {
		for (const type of [undefined, null, 1, "", "bye", "constructor", ["hello"]])
			assert.deepEqual(refusal({ type }), { id: undefined, code: "bad_message" });
	});

	test("no object makes it throw", (t) => {
		const random = seededRandom(t);
		for (let round = 0; round < 2000; round++) {
			const type = random.pick(["hello", "request", "event", "x"]);
			const line = {
				type,
				...randomObject(random),
				[random.pick(["id", "method", "params", "client"])]: "x",
			};
			const message = read(line);
			assert.ok(message.ok || message.error.message.length > 0);
		}
	});
});

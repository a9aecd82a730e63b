import assert from "node:assert/strict";
import { test } from "node:test";
import { createInTurn } from "./in-turn.ts";

test("work for one key is done in the order it was asked for, and work for another meanwhile", async () => {
	const inTurn = createInTurn<string>();
	const first = Promise.withResolvers<void>();
	const done: string[] = [];
	const work = (name: string, until?: Promise<void>) => async () => {
		await until;
		done.push(name);
		return name;
	};
	const all = [inTurn("a", work("a1", first.promise)), inTurn("a", work("a2"))];
	assert.equal(await inTurn("b", work("b1")), "b1");
	assert.deepEqual(done, ["b1"]);
	first.resolve();
	assert.deepEqual(await Promise.all(all), ["a1", "a2"]);
	assert.deepEqual(done, ["b1", "a1", "a2"]);
});

test("work that fails tells who asked for it, and the next is done", async () => {
	const inTurn = createInTurn<string>();
	const failing = inTurn("a", () => Promise.reject(new Error("No.")));
	const next = inTurn("a", async () => "done");
	await assert.rejects(failing, /^Error: No\.$/);
	assert.equal(await next, "done");
});

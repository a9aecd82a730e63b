import assert from "node:assert/strict";
import { test } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { turns } from "../testing/until.ts";
import { createStateSource } from "./replicated-state.ts";

function open() {
	const errors: unknown[] = [];
	let disposed = 0;
	const source = createStateSource<number>(
		1,
		() => void disposed++,
		(error) => errors.push(error),
	);
	return { ...source, errors, disposed: () => disposed };
}

test("a subscriber gets the value at once and each later one in order", async () => {
	const { state, publish } = open();
	const seen: unknown[] = [];
	state.subscribe((value, _context, delivery) => seen.push([value, delivery.kind, delivery.sequence]));
	assert.deepEqual(seen, [[1, "hydrate", 0]]);
	publish(2, context);
	assert.equal(seen.length, 1, "never called by who publishes");
	assert.equal(state.value, 2);
	publish(3, context);
	state.subscribe((value, _context, delivery) =>
		seen.push([value, `late ${delivery.kind}`, delivery.sequence]),
	);
	await turns(1);
	assert.deepEqual(seen, [
		[1, "hydrate", 0],
		[3, "late hydrate", 2],
		[2, "update", 1],
		[3, "update", 2],
	]);
});

test("an unsubscribed listener and a disposed state hear nothing more", async () => {
	const { state, publish, disposed } = open();
	const seen: number[] = [];
	const unsubscribe = state.subscribe((value) => seen.push(value));
	publish(2, context);
	unsubscribe();
	await turns(1);
	assert.deepEqual(seen, [1]);
	state.subscribe((value) => seen.push(value));
	state.dispose();
	state.dispose();
	publish(3, context);
	await turns(1);
	assert.deepEqual(seen, [1, 2]);
	assert.equal(state.value, 2);
	assert.equal(disposed(), 1);
});

test("a subscriber that throws is reported and disturbs nobody", async () => {
	const { state, publish, errors } = open();
	const seen: number[] = [];
	state.subscribe(() => {
		throw new Error("broken");
	});
	state.subscribe((value) => seen.push(value));
	publish(2, context);
	await turns(1);
	assert.deepEqual(seen, [1, 2]);
	assert.equal(errors.length, 2);
});

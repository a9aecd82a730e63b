import assert from "node:assert/strict";
import { test } from "node:test";
import { BACKGROUND_CONTEXT as context, withCancel } from "@earendil-works/chord/context";
import { applyImmutable } from "@earendil-works/chord/delta";
import { turns, until } from "../testing/until.ts";
import type { Op } from "../types/documents.ts";
import { createWatch } from "./watch.ts";

const set = (n: number): Op[] => [["s", ["n"], n]];

function open() {
	let ends = 0;
	const watch = createWatch<{ n: number }>({ n: 0 }, context, () => {
		ends++;
	});
	return { ...watch, ended: () => ends };
}

test("every change arrives once, in order, with its exact operations, one callback at a time", async () => {
	const { handle, push } = open();
	const seen: unknown[] = [];
	let running = 0;
	push({ n: 1 }, set(1), context);
	assert.deepEqual(handle.value, { n: 0 }, "the value at attachment, until it is started");
	handle.start(async (value, ops) => {
		assert.equal(++running, 1);
		assert.equal(handle.value, value);
		await turns(1);
		seen.push([value.n, ops]);
		running--;
	});
	push({ n: 2 }, set(2), context);
	push({ n: 3 }, set(3), context);
	await until("three changes", () => seen.length === 3);
	assert.deepEqual(seen, [
		[1, set(1)],
		[2, set(2)],
		[3, set(3)],
	]);
});

test("starting calls nobody at once, and a watch is started only once", async () => {
	const { handle, push } = open();
	let calls = 0;
	push({ n: 1 }, set(1), context);
	handle.start(async () => void calls++);
	assert.equal(calls, 0);
	await turns(1);
	assert.equal(calls, 1);
	assert.throws(() => handle.start(async () => {}), /was started before/);
});

test("100 undelivered changes are kept; one more folds them into one replacement by the newest value", async () => {
	for (const pending of [100, 101, 150]) {
		const { handle, push } = open();
		for (let n = 1; n <= pending; n++) push({ n }, set(n), context);
		const frames: (readonly Op[])[] = [];
		let value = handle.value;
		handle.start(async (_value, ops) => {
			frames.push(ops);
			value = applyImmutable(value, ops);
		});
		await until("the newest value", () => value.n === pending);
		await turns();
		assert.equal(frames.length, pending <= 100 ? pending : pending - 100, `${pending} pending`);
		if (pending > 100) assert.deepEqual(frames[0], [["r", { n: 101 }]]);
	}
});

test("a change that is being delivered does not count as undelivered", async () => {
	const { handle, push } = open();
	const gate = Promise.withResolvers<void>();
	const frames: (readonly Op[])[] = [];
	handle.start(async (_value, ops) => {
		frames.push(ops);
		if (frames.length === 1) await gate.promise;
	});
	push({ n: 1 }, set(1), context);
	await until("the first delivery", () => frames.length === 1);
	for (let n = 2; n <= 101; n++) push({ n }, set(n), context);
	gate.resolve();
	await until("the rest", () => frames.length === 101);
	assert.ok(frames.every((ops) => ops[0]![0] === "s"));
});

test("stopping drops what is undelivered, also from within the listener", async () => {
	const { handle, push, ended } = open();
	const seen: number[] = [];
	handle.start(async ({ n }) => {
		seen.push(n);
		assert.deepEqual(await handle.stop(), { reason: "stopped" });
	});
	push({ n: 1 }, set(1), context);
	push({ n: 2 }, set(2), context);
	assert.deepEqual(await handle.closed, { reason: "stopped" });
	await turns();
	push({ n: 3 }, set(3), context);
	await turns();
	assert.deepEqual(seen, [1]);
	assert.equal(ended(), 1);
	assert.deepEqual(await handle.stop(), { reason: "stopped" });
});

test("a listener that throws ends its watch and no other", async () => {
	const one = open();
	const two = open();
	one.handle.start(async () => {
		throw new Error("broken");
	});
	const seen: number[] = [];
	two.handle.start(async ({ n }) => void seen.push(n));
	for (const { push } of [one, two]) {
		push({ n: 1 }, set(1), context);
		push({ n: 2 }, set(2), context);
	}
	const end = await one.handle.closed;
	assert.equal(end.reason, "listener_error");
	assert.equal(end.reason === "listener_error" && end.error.message, "broken");
	await until("the other's changes", () => seen.length === 2);
});

test("cancelling the context it was acquired with ends a watch; the first reason stays", async () => {
	const { context: cancellable, cancel } = withCancel(context);
	const watch = createWatch<{ n: number }>({ n: 0 }, cancellable, () => {});
	cancel();
	watch.end({ reason: "session_closed" });
	assert.deepEqual(await watch.handle.closed, { reason: "cancelled" });
});

test("a callback gets the commit's context without the commit's cancellation", async () => {
	const { context: producer, cancel } = withCancel(context);
	const { handle, push } = open();
	push({ n: 1 }, set(1), producer);
	cancel();
	const given = Promise.withResolvers<boolean>();
	handle.start(async (_value, _ops, from) => given.resolve(from.abortSignal?.aborted ?? false));
	assert.equal(await given.promise, false);
});

test("an end that drains is told after what came before it was delivered", async () => {
	const { handle, push, end } = open();
	push({ n: 1 }, set(1), context);
	end({ reason: "retired" }, { drain: true });
	push({ n: 2 }, set(2), context);
	const seen: number[] = [];
	handle.start(async ({ n }) => {
		await turns(1);
		seen.push(n);
	});
	assert.deepEqual(await handle.closed, { reason: "retired" });
	assert.deepEqual(seen, [1]);
});

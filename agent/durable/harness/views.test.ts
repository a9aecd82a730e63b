import assert from "node:assert/strict";
import { test } from "node:test";
import { applyImmutable } from "@earendil-works/chord/delta";
import { fauxAssistantMessage } from "@earendil-works/pi-ai";
import { context, openTestHarness } from "../testing/open-harness.ts";
import { createSeededRandom } from "../testing/seeded-random.ts";
import { turns, until } from "../testing/until.ts";
import type { ConversationView } from "../types/harness.ts";
import type { EntryId } from "../types/ids.ts";

/** A client: it holds what the watch gave it at first, and applies the operations as they come. */
async function client(root: Awaited<ReturnType<typeof openTestHarness>>["root"], tail?: number) {
	const watch = await root.watch(context, tail === undefined ? undefined : { tail });
	const state = { value: structuredClone(watch.value) as ConversationView, frames: 0, newest: watch.value };
	watch.start(async (value, ops) => {
		state.value = applyImmutable(state.value, structuredClone(ops));
		state.newest = value;
		state.frames++;
	});
	return Object.assign(state, { stop: () => watch.stop() });
}

test("a view carries the conversation, its transcript and its documents", async (t) => {
	const { root } = await openTestHarness(t, { responses: [fauxAssistantMessage("Paris")] });
	const submission = await root.submit({ type: "input", content: "capital of France?" }, context);
	await submission.wait(context);
	const view = await root.viewState(context);
	assert.deepEqual(
		view.value.entries.map(({ kind }) => kind),
		["pi.user", "pi.assistant"],
	);
	assert.equal(view.value.conversation.id, root.id);
	assert.deepEqual(Object.keys(view.value.docs).sort(), [
		"pi.agent",
		"pi.inbox",
		"pi.live",
		"pi.output",
		"pi.provider",
		"pi.usage",
	]);
	assert.deepEqual(view.value.docs["pi.agent"], { model: { provider: "faux", modelId: "faux-1" } });
	assert.deepEqual(view.value.docs["pi.live"], {});
	view.dispose();
});

test("a state calls its subscriber with the view at once and after every commit that touches it", async (t) => {
	const { harness, root } = await openTestHarness(t);
	const view = await root.viewState(context);
	const counts: number[] = [];
	view.subscribe((value) => counts.push(value.entries.length));
	await root.commit((tx) => tx.appendEntry(root.id, { kind: "test.note" }), context);
	const other = await harness.createConversation({ ownership: { kind: "ownerless" } }, context);
	await other.commit((tx) => tx.appendEntry(other.id, { kind: "test.note" }), context);
	await turns();
	assert.deepEqual(counts, [0, 1]);
	view.dispose();
	await root.commit((tx) => tx.appendEntry(root.id, { kind: "test.note" }), context);
	await turns();
	assert.deepEqual(counts, [0, 1]);
});

test("a window holds the newest entries; operations take old ones off its front", async (t) => {
	const { root } = await openTestHarness(t);
	const seen = await client(root, 3);
	for (let n = 1; n <= 5; n++)
		await root.commit((tx) => tx.appendEntry(root.id, { kind: "test.note", data: n }), context);
	await until("five frames", () => seen.frames === 5);
	assert.deepEqual(
		seen.value.entries.map(({ data }) => data),
		[3, 4, 5],
	);
	const late = await root.watch(context, { tail: 3 });
	assert.deepEqual(late.value.entries, seen.value.entries);
	await late.stop();
	await seen.stop();
	await assert.rejects(root.watch(context, { tail: 0 }), RangeError);
});

test("a head leads the view and takes what it cut off with it", async (t) => {
	const { root } = await openTestHarness(t);
	const seen = await client(root, 10);
	const ids: EntryId[] = [];
	for (let n = 1; n <= 4; n++)
		ids.push(
			(await root.commit((tx) => tx.appendEntry(root.id, { kind: "test.note", data: n }), context)).id,
		);
	await root.commit(
		(tx) => tx.appendEntry(root.id, { kind: "test.head", head: ids[2]!, data: "h" }),
		context,
	);
	await root.commit((tx) => tx.appendEntry(root.id, { kind: "test.note", data: 5 }), context);
	await until("six frames", () => seen.frames === 6);
	const shown = () => seen.value.entries.map(({ data }) => data);
	assert.deepEqual(shown(), ["h", 3, 4, 5]);
	await root.commit(
		(tx) => tx.appendEntry(root.id, { kind: "test.reset", head: "self", data: "r" }),
		context,
	);
	await until("the reset", () => seen.frames === 7);
	assert.deepEqual(shown(), ["r"]);
});

test("a client that applies the operations has the view, under random activity, for any window", async (t) => {
	for (let seed = 1; seed <= 12; seed++) {
		const random = createSeededRandom(seed);
		const { root, harness } = await openTestHarness(t, { responses: answers(40) });
		const tails = [1, 2, 5, 50];
		const clients = await Promise.all(tails.map((tail) => client(root, tail)));
		const plain: EntryId[] = [];
		for (let step = 0; step < 40; step++) {
			const which = random.below(7);
			if (which < 3)
				await root.commit(async (tx) => {
					for (let n = 0; n <= random.below(3); n++)
						plain.push((await tx.appendEntry(root.id, { kind: "test.note", data: step })).id);
				}, context);
			else if (which === 3) await root.submit({ type: "input", content: `input ${step}` }, context);
			else if (which === 4) await root.configure({ instructions: `note ${step}` }, context);
			else if (which === 5)
				await root.submit({ type: "write", entry: { kind: "test.write", data: step } }, context);
			else if (random.oneIn(3))
				await root.submit({ type: "write", entry: { kind: "test.reset", head: "self" } }, context);
			if (random.oneIn(5)) await turns(random.below(4));
		}
		await harness.waitForIdle(context);
		for (const [index, seen] of clients.entries()) {
			const late = await root.watch(context, { tail: tails[index]! });
			await until("the newest view", () => seen.newest === late.value);
			assert.deepEqual(seen.value, late.value, `seed ${seed}, window of ${tails[index]}`);
			await Promise.all([late.stop(), seen.stop()]);
			const fresh = await root.watch(context, { tail: tails[index]! });
			assert.deepEqual(fresh.value, late.value, `seed ${seed}, a fresh window of ${tails[index]}`);
			await fresh.stop();
		}
	}
});

test("a slow client gets one replacement of the whole view, and goes on from it", async (t) => {
	const { root } = await openTestHarness(t);
	const watch = await root.watch(context, { tail: 5 });
	let value: ConversationView = watch.value;
	for (let n = 1; n <= 130; n++)
		await root.commit((tx) => tx.appendEntry(root.id, { kind: "test.note", data: n }), context);
	const verbs: string[] = [];
	watch.start(async (newest, ops) => {
		verbs.push(ops[0]![0]);
		value = applyImmutable(value, ops);
		assert.deepEqual(value, newest);
	});
	await until("the newest", () => value.entries.at(-1)?.data === 130);
	assert.deepEqual(verbs[0], "r");
	assert.equal(verbs.length, 30);
	await watch.stop();
});

test("whoever comes late or again sees what everyone sees, in the middle of an answer too", async (t) => {
	const { root } = await openTestHarness(t, { responses: [fauxAssistantMessage("x".repeat(500))] });
	const early = await client(root);
	await root.submit({ type: "input", content: "go" }, context);
	const late = await root.watch(context);
	const { promise, resolve } = Promise.withResolvers<ConversationView>();
	let value: ConversationView = late.value;
	late.start(async (_newest, ops) => {
		value = applyImmutable(value, ops);
		if (value.entries.some(({ kind }) => kind === "pi.assistant")) resolve(value);
	});
	const ended = await promise;
	await until("the early client", () => early.value.entries.length === ended.entries.length);
	assert.deepEqual(early.value, ended);
	await late.stop();
	const again = await root.watch(context);
	assert.deepEqual(again.value, ended);
});

test("a view that is opened while the last one closes follows its conversation", async (t) => {
	const { root } = await openTestHarness(t);
	const first = await root.watch(context);
	const opening = root.watch(context);
	await first.stop();
	const second = await opening;
	let frames = 0;
	second.start(async () => void frames++);
	await root.commit((tx) => tx.appendEntry(root.id, { kind: "test.note" }), context);
	await until("the change", () => frames === 1);
	assert.equal(second.value.entries.length, 1);
});

test("watching reads only: it starts no work, and ends when the harness closes", async (t) => {
	const { harness, root } = await openTestHarness(t, { closes: false });
	const watch = await root.watch(context);
	const state = await root.viewState(context);
	assert.equal((await harness.inspect(context)).scheduling, "paused");
	await harness.close(context);
	assert.deepEqual(await watch.closed, { reason: "session_closed" });
	assert.equal(state.value.entries.length, 0);
	await assert.rejects(root.watch(context), /closed/);
	await assert.rejects(root.viewState(context), /closed/);
});

function answers(count: number) {
	return Array.from({ length: count }, (_, index) => fauxAssistantMessage(`answer ${index}`));
}

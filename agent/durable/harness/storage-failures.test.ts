import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { obj } from "@earendil-works/pi-schema";
import { SessionPoisoned, StorageFull, StorageRejected } from "../errors.ts";
import { MemoryStorage } from "../storage/memory.ts";
import { createFaultyStorage } from "../testing/faulty-storage.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { context } from "../testing/open-harness.ts";
import { openWithTools, resultsIn, storedResults, textOf } from "../testing/tool-calls.ts";
import { turns, until } from "../testing/until.ts";
import type { StorageWrite } from "../types/storage.ts";
import { defineTool } from "../types/tools.ts";

const full = () => new StorageFull("The disk is full.");

function holds(writes: readonly StorageWrite[], kind: string): boolean {
	return writes.some((write) => write.type === "entry" && write.value.kind === kind);
}

async function open(t: TestContext, closes = true) {
	const faulty = createFaultyStorage(new MemoryStorage());
	const clock = createManualClock();
	let runs = 0;
	const work = defineTool({
		name: "work",
		description: "Works.",
		parameters: obj({}),
		execute: async () => {
			runs++;
			return { content: [{ type: "text", text: "worked" }] };
		},
	});
	const opened = await openWithTools(t, [work], { storage: faulty.storage, clock, closes });
	return { ...opened, faulty, clock, runs: () => runs };
}

test("a full disk loses nothing: a result is stored once there is room, tried again every second", async (t) => {
	const { call, next, faulty, clock, reports, runs } = await open(t);
	let refused = 0;
	faulty.beforeCommit = (writes) => {
		if (!holds(writes, "pi.tool-result")) return undefined;
		refused++;
		return full();
	};
	const submission = await call({ name: "work" });
	await until("the first refusal", () => refused === 1);
	for (let second = 2; second <= 5; second++) {
		await clock.advance(999);
		assert.equal(refused, second - 1);
		await clock.advance(1);
		await until("the next refusal", () => refused === second);
	}
	assert.equal(reports.length, 1, "it is reported once");
	faulty.beforeCommit = undefined;
	await clock.advance(1_000);
	const request = await next();
	assert.equal(textOf(resultsIn(request.messages)[0]), "worked");
	assert.equal(runs(), 1);
	request.answer("done");
	assert.equal((await submission.wait(context)).status, "done");
});

test("a full disk stops the scheduler only until there is room", async (t) => {
	const { call, next, root, faulty, clock } = await open(t);
	let isFull = false;
	faulty.beforeCommit = (writes) => {
		isFull ||= writes.some(({ type }) => type === "task") && holds(writes, "pi.assistant");
		return isFull ? full() : undefined;
	};
	await call({ name: "work" });
	await until("the disk is full", () => isFull);
	await clock.advance(3_000);
	await assert.rejects(
		root.submit({ type: "input", content: "more" }, context),
		StorageFull,
		"new work is refused",
	);
	faulty.beforeCommit = undefined;
	await clock.advance(1_000);
	(await next()).answer("done");
	await root.waitForIdle(context);
	assert.equal((await storedResults(root)).length, 1);
});

test("stopping works while the disk is full, and takes effect once there is room", async (t) => {
	const { call, root, faulty, clock } = await open(t);
	faulty.beforeCommit = (writes) => (holds(writes, "pi.tool-result") ? full() : undefined);
	const submission = await call({ name: "work" });
	await turns(20);
	const stopping = root.abort(context);
	await turns(20);
	faulty.beforeCommit = undefined;
	for (let second = 0; second < 3; second++) await clock.advance(1_000);
	await stopping;
	assert.equal((await submission.wait(context)).reason, "aborted");
	assert.equal((await storedResults(root)).length, 1);
});

test("a harness opens and resumes on a full disk, and goes on when there is room", async (t) => {
	const storage = new MemoryStorage();
	const keep = new Proxy(storage, {
		get(target, name) {
			if (name === "close") return async () => {};
			const member: unknown = Reflect.get(target, name, target);
			return typeof member === "function" ? member.bind(target) : member;
		},
	});
	const first = await openWithTools(t, [], { storage: keep, closes: false });
	const submission = await first.root.submit({ type: "input", content: "go" }, context);
	await first.model.request(0);
	await first.harness.close(context);

	const faulty = createFaultyStorage(storage);
	const clock = createManualClock();
	let refused = 0;
	faulty.beforeCommit = () => {
		refused++;
		return full();
	};
	const next = await openWithTools(t, [], { storage: faulty.storage, clock });
	next.harness.resume();
	await until("refusals", () => refused > 1);
	await clock.advance(2_000);
	faulty.beforeCommit = undefined;
	await clock.advance(1_000);
	(await next.model.request(0)).answer("here");
	const settled = await (await next.harness.submission(submission.id, context))!.wait(context);
	assert.equal(settled.status, "done");
});

test("a refused commit fails only what needed it: the run ends, and the conversation goes on", async (t) => {
	const { call, next, root, faulty, model } = await open(t);
	faulty.beforeCommit = (writes) => (holds(writes, "pi.tool-result") ? new StorageRejected("no") : undefined);
	const submission = await call({ name: "work" });
	const request = await next();
	assert.match(
		textOf(resultsIn(request.messages)[0]),
		/no recorded result/,
		"the model is told there is none",
	);
	faulty.beforeCommit = (writes) => (holds(writes, "pi.assistant") ? new StorageRejected("no") : undefined);
	request.answer("lost");
	const settled = await submission.wait(context);
	assert.deepEqual(
		[settled.reason, settled.detail],
		["faulted", "The run broke off: no. Put that right, then send the message again."],
	);
	faulty.beforeCommit = undefined;
	const again = await root.submit({ type: "input", content: "again" }, context);
	(await model.request(2)).answer("here");
	assert.equal((await again.wait(context)).status, "done");
});

test("an uncertain failure ends everything: work stops, waits reject, and every operation says why", async (t) => {
	const { root, harness, model, faulty } = await open(t, false);
	t.after(() => harness.close(context));
	const submission = await root.submit({ type: "input", content: "go" }, context);
	const request = await model.request(0);
	const waiting = [submission.wait(context), root.waitForIdle(context), harness.waitForIdle(context)];
	const watch = await root.watch(context);
	faulty.afterCommit = () => new Error("disk I/O error");
	await assert.rejects(root.configure({ instructions: "x" }, context), SessionPoisoned);
	for (const wait of waiting) await assert.rejects(wait, SessionPoisoned);
	assert.deepEqual(await watch.closed, { reason: "session_closed" });
	await until("the model is let go", () => request.options.signal?.aborted);
	const operations: (() => Promise<unknown>)[] = [
		() => root.submit({ type: "input", content: "x" }, context),
		() => root.abort(context),
		() => root.agent(context),
		() => root.context(context),
		() => root.entries({}, 1, undefined, context),
		() => root.watch(context),
		() => root.viewState(context),
		() => root.waitForIdle(context),
		() => harness.root(context),
		() => harness.conversation(root.id, context),
		() => harness.conversations({}, 1, undefined, context),
		() => harness.createConversation({ ownership: { kind: "ownerless" } }, context),
		() => harness.inspect(context),
		() => harness.getTask(1 as never, context),
		() => harness.abortTask(1 as never, context),
		() => harness.waitForTask(1 as never, context),
		() => harness.submission(submission.id, context),
		() => submission.status(context),
		() => submission.wait(context),
		() => submission.abort(context),
		() => harness.usage(context),
		() => harness.taskGraph(context),
		() => harness.flush(context),
		async () => harness.resume(),
	];
	for (const [index, operation] of operations.entries())
		await assert.rejects(operation(), SessionPoisoned, `operation ${index}`);
});

test("closing rejects what is begun afterwards, and joins what was running", async (t) => {
	const { root, harness, model } = await open(t, false);
	const submission = await root.submit({ type: "input", content: "go" }, context);
	const request = await model.request(0);
	const waiting = submission.wait(context);
	const closing = harness.close(context);
	await assert.rejects(waiting, /closed/);
	await closing;
	assert.equal(request.options.signal?.aborted, true);
	await harness.close(context);
	assert.throws(() => harness.resume(), /closed/);
	await assert.rejects(root.submit({ type: "input", content: "x" }, context), /closed/);
	await assert.rejects(submission.status(context), /closed/);
	await assert.rejects(harness.usage(context), /closed/);
});

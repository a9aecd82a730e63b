import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { LiveDoc, UsageDoc } from "../harness/built-in-documents.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { context, openTestHarness, type TestHarnessOptions } from "../testing/open-harness.ts";
import { createSteeredModel } from "../testing/steered-model.ts";
import { openStore } from "../testing/stores.ts";
import { turns, until } from "../testing/until.ts";
import type { Op } from "../types/documents.ts";
import type { Conversation, Harness } from "../types/harness.ts";
import type { LiveState } from "../types/live.ts";

async function open(t: TestContext, options: TestHarnessOptions = {}) {
	const model = createSteeredModel();
	const harness = await openTestHarness(t, { models: model.models, model: model.ref, ...options });
	return { ...harness, model };
}

async function partialOf(harness: Harness, root: Conversation): Promise<string | undefined> {
	const live = (await harness.snapshot(LiveDoc, root.id, context)) as LiveState | undefined;
	const part = live?.generation?.message?.content[0] as { text?: string } | undefined;
	return part?.text;
}

async function assistants(root: Conversation): Promise<AssistantMessage[]> {
	const { items } = await root.entries({ order: "ascending" }, 100, undefined, context);
	return items
		.filter(({ kind }) => kind === "pi.assistant")
		.map(({ model }) => model![0] as AssistantMessage);
}

test("the first part of an answer is stored at once, later ones at most every 100 ms, as what was appended", async (t) => {
	const clock = createManualClock();
	const { harness, root, model } = await open(t, { clock });
	const stored: (readonly Op[])[] = [];
	harness.subscribeCommits(({ documents }) => {
		for (const { record, ops } of documents)
			if (record.kind === "pi.live" && JSON.stringify(ops).includes("message")) stored.push(ops);
	});
	const submission = await root.submit({ type: "input", content: "go" }, context);
	const request = await model.request(0);
	request.say("one ");
	await until("the first part", async () => (await partialOf(harness, root)) === "one ");
	for (let word = 0; word < 10; word++) {
		request.say("w ");
		await turns();
	}
	assert.equal(stored.length, 1);
	await clock.advance(99);
	assert.equal(stored.length, 1);
	await clock.advance(1);
	await until("the second part", async () => (await partialOf(harness, root)) === `one ${"w ".repeat(10)}`);
	assert.equal(stored.length, 2);
	assert.deepEqual(stored[1]![0], ["a", ["generation", "message", "content", 0, "text"], "w ".repeat(10)]);
	request.say("end");
	request.answer();
	await submission.wait(context);
	const [answer] = await assistants(root);
	assert.deepEqual(answer?.content, [{ type: "text", text: `one ${"w ".repeat(10)}end` }]);
	assert.equal(await partialOf(harness, root), undefined);
});

test("the interval is a setting, read anew each time", async (t) => {
	const clock = createManualClock();
	const progress = { partialIntervalMs: 500 };
	const { harness, root, model } = await open(t, { clock, settings: { progress } });
	await root.submit({ type: "input", content: "go" }, context);
	const request = await model.request(0);
	request.say("a");
	await until("the first part", () => partialOf(harness, root));
	request.say("b");
	await clock.advance(499);
	assert.equal(await partialOf(harness, root), "a");
	await clock.advance(1);
	await until("the second part", async () => (await partialOf(harness, root)) === "ab");
	request.answer();
	await root.waitForIdle(context);
});

test("an answer cut off by the end of the process stays, marked aborted, and the request is sent again", async (t) => {
	const { storage, reopen } = await openStore(t);
	const first = await open(t, { storage, closes: false });
	const submission = await first.root.submit({ type: "input", content: "go" }, context);
	const request = await first.model.request(0);
	request.say("half an ans");
	await until("the partial answer", () => partialOf(first.harness, first.root));
	await first.harness.close(context);

	const next = await open(t, { storage: await reopen() });
	assert.equal(await partialOf(next.harness, next.root), "half an ans", "a client that comes now sees it");
	next.harness.resume();
	const again = await next.model.request(0);
	assert.deepEqual(again.messages, request.messages, "the same request");
	again.answer("the whole answer");
	const settled = await (await next.harness.submission(submission.id, context))!.wait(context);
	assert.equal(settled.status, "done");
	const messages = await assistants(next.root);
	assert.deepEqual(
		messages.map(({ stopReason, content }) => [stopReason, content]),
		[
			["aborted", [{ type: "text", text: "half an ans" }]],
			["stop", [{ type: "text", text: "the whole answer" }]],
		],
	);
});

test("a provider hears the conversation's own session id, its options and its thinking level", async (t) => {
	const { harness, root, model } = await open(t, { settings: { stream: { timeoutMs: 1_234 } } });
	await root.configure({ thinkingLevel: "high" }, context);
	await root.submit({ type: "input", content: "go" }, context);
	const first = await model.request(0);
	first.answer("1");
	await root.waitForIdle(context);
	await root.submit({ type: "input", content: "again" }, context);
	const second = await model.request(1);
	second.answer("2");
	await root.waitForIdle(context);
	assert.equal(first.options.timeoutMs, 1_234);
	assert.equal(first.options.reasoning, "high");
	assert.match(first.options.sessionId!, /^[0-9a-f-]{36}$/);
	assert.equal(second.options.sessionId, first.options.sessionId);
	const other = await harness.createConversation(
		{ ownership: { kind: "ownerless" }, agent: { model: model.ref } },
		context,
	);
	await other.submit({ type: "input", content: "go" }, context);
	const third = await model.request(2);
	assert.notEqual(third.options.sessionId, first.options.sessionId);
	third.answer("3");
	await other.waitForIdle(context);
});

test("what a response cost is added up per model, failed attempts included", async (t) => {
	const { harness, root, model } = await open(t, { settings: { retry: { baseDelayMs: 1 } } });
	await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).fail("503 overloaded");
	(await model.request(1)).answer("ok");
	await root.waitForIdle(context);
	const usage = (await harness.snapshot(UsageDoc, root.id, context)) as { models: Record<string, unknown> };
	assert.deepEqual(Object.keys(usage.models), ["steered/steered-1"]);
	assert.deepEqual(await harness.usage(context), usage);
});

test("a request that can't even be made ends the run with the reason", async (t) => {
	const { root, models } = await open(t, { settings: { retry: { enabled: false } } });
	Object.assign(models, {
		streamSimple: () => {
			throw new Error("no such transport");
		},
	});
	const settled = await (await root.submit({ type: "input", content: "go" }, context)).wait(context);
	assert.deepEqual([settled.reason, settled.detail], ["model_error", "no such transport"]);
});

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { fauxToolCall } from "@earendil-works/pi-ai";
import { obj, str } from "@earendil-works/pi-schema";
import { ConversationBusy, RequestIdReused } from "../errors.ts";
import { context, openTestHarness, type TestHarnessOptions } from "../testing/open-harness.ts";
import { createSteeredModel } from "../testing/steered-model.ts";
import { until } from "../testing/until.ts";
import type { Conversation } from "../types/harness.ts";
import type { InboxState } from "../types/submissions.ts";
import { defineTool } from "../types/tools.ts";
import { InboxDoc } from "./built-in-documents.ts";

const echo = defineTool({
	name: "echo",
	description: "Says it back.",
	parameters: obj({ text: str() }),
	execute: async ({ text }) => ({ content: [{ type: "text", text }] }),
});

async function open(t: TestContext, options: TestHarnessOptions = {}) {
	const model = createSteeredModel();
	const harness = await openTestHarness(t, {
		models: model.models,
		model: model.ref,
		tools: [echo],
		...options,
	});
	return { ...harness, model };
}

const input = (content: string, whenBusy?: "steer" | "followUp" | "reject") =>
	({ type: "input", content, ...(whenBusy === undefined ? {} : { whenBusy }) }) as const;

/** The transcript as one word an entry: what a person said, what the model said, kinds of everything else. */
async function transcript(root: Conversation): Promise<string[]> {
	const { items } = await root.entries({ order: "ascending" }, 100, undefined, context);
	return items
		.filter(({ kind }) => kind !== "pi.system")
		.map(({ kind, model, data }) => {
			const message = model?.[0];
			if (message?.role === "user") return String(message.content);
			if (message?.role === "assistant") {
				const part = message.content.at(-1);
				if (message.stopReason === "error") return "failed";
				return part?.type === "text" ? part.text : `(${part?.type})`;
			}
			return kind === "test.note" ? `note ${data}` : kind;
		});
}

async function inboxOf(root: Conversation, harness: Awaited<ReturnType<typeof open>>["harness"]) {
	const inbox = (await harness.snapshot(InboxDoc, root.id, context)) as unknown as InboxState;
	return inbox.items.map((item) => (item.mode === "write" ? "write" : `${item.mode} ${item.content}`));
}

test("steers join after the tool round, follow-ups wait for the answer, and each starts where it says", async (t) => {
	const { harness, root, model } = await open(t);
	const first = await root.submit(input("one"), context);
	const request = await model.request(0);
	const followUp = await root.submit(input("later"), context);
	const steer = await root.submit(input("this way", "steer"), context);
	assert.deepEqual(await inboxOf(root, harness), ["followUp later", "steer this way"]);
	request.answer(fauxToolCall("echo", { text: "x" }));
	const second = await model.request(1);
	assert.equal((await steer.status(context)).status, "placed");
	assert.equal((await followUp.status(context)).status, "queued");
	second.answer("done");
	(await model.request(2)).answer("done later");
	const settled = await Promise.all([first, steer, followUp].map((submission) => submission.wait(context)));
	assert.deepEqual(
		settled.map(({ status }) => status),
		["done", "done", "done"],
	);
	assert.deepEqual(await transcript(root), [
		"one",
		"(toolCall)",
		"pi.tool-result",
		"this way",
		"done",
		"later",
		"done later",
	]);
	const [one, two, three] = settled;
	assert.equal(one!.status === "done" && one!.answer, two!.status === "done" && two!.answer);
	assert.notEqual(one!.status === "done" && one!.answer, three!.status === "done" && three!.answer);
});

test("a steer without a tool round is placed like a follow-up, once the run answers", async (t) => {
	const { root, model } = await open(t);
	await root.submit(input("one"), context);
	const request = await model.request(0);
	const steer = await root.submit(input("two", "steer"), context);
	request.answer("1");
	(await model.request(1)).answer("2");
	await steer.wait(context);
	assert.deepEqual(await transcript(root), ["one", "1", "two", "2"]);
});

test("reject throws ConversationBusy while a run is going, and stores nothing", async (t) => {
	const { harness, root, model } = await open(t);
	await root.submit(input("one"), context);
	await assert.rejects(root.submit(input("two", "reject"), context), ConversationBusy);
	assert.deepEqual(await inboxOf(root, harness), []);
	(await model.request(0)).answer("1");
	await root.waitForIdle(context);
	const accepted = await root.submit(input("three", "reject"), context);
	(await model.request(1)).answer("3");
	assert.equal((await accepted.wait(context)).status, "done");
});

test("writes never ask the model: placed at once when idle, at the next turn when busy", async (t) => {
	const { root, model } = await open(t);
	const note = (data: string) => ({ type: "write", entry: { kind: "test.note", data } }) as const;
	const now = await root.submit(note("a"), context);
	assert.equal((await now.wait(context)).status, "done");
	assert.equal(model.requests.length, 0);
	await root.submit(input("one"), context);
	const request = await model.request(0);
	const queued = await root.submit(note("b"), context);
	assert.equal((await queued.status(context)).status, "queued");
	request.answer("1");
	assert.equal((await queued.wait(context)).status, "done");
	await root.waitForIdle(context);
	assert.equal(model.requests.length, 1);
	assert.deepEqual(await transcript(root), ["note a", "one", "1", "note b"]);
});

test("what is queued can be withdrawn; what was placed can't", async (t) => {
	const { harness, root, model } = await open(t);
	const first = await root.submit(input("one"), context);
	const queued = await root.submit(input("two"), context);
	assert.equal(await queued.abort(context), "aborted");
	assert.deepEqual(await inboxOf(root, harness), []);
	assert.deepEqual({ ...(await queued.wait(context)) }.status, "unanswered");
	assert.equal(await queued.abort(context), "settled");
	assert.equal(await first.abort(context), "already_placed");
	assert.equal(await harness.abortSubmission(9_999_999 as never, context), "not_found");
	(await model.request(0)).answer("1");
	await first.wait(context);
	assert.equal(await first.abort(context), "settled");
	assert.deepEqual(await transcript(root), ["one", "1"]);
});

test("a failed run leaves the inbox as it was; the next message places what waits, oldest first", async (t) => {
	const { harness, root, model } = await open(t, { settings: { retry: { enabled: false } } });
	const first = await root.submit(input("one"), context);
	const request = await model.request(0);
	const second = await root.submit(input("two"), context);
	request.fail("it broke");
	const failure = await first.wait(context);
	assert.deepEqual(
		[failure.status, failure.reason, failure.detail],
		["unanswered", "model_error", "it broke"],
	);
	await root.waitForIdle(context);
	assert.deepEqual(await inboxOf(root, harness), ["followUp two"]);
	assert.equal((await second.status(context)).status, "queued");
	const third = await root.submit(input("three"), context);
	assert.deepEqual(await inboxOf(root, harness), ["followUp three"]);
	(await model.request(1)).answer("2");
	(await model.request(2)).answer("3");
	await third.wait(context);
	assert.equal((await second.status(context)).status, "done");
	assert.deepEqual(await transcript(root), ["one", "failed", "two", "2", "three", "3"]);
});

test("the mode all places every waiting message of its kind at once", async (t) => {
	const settings = { steeringMode: "all", followUpMode: "all" } as const;
	const { root, model } = await open(t, { settings });
	await root.submit(input("one"), context);
	const request = await model.request(0);
	for (const word of ["s1", "s2"]) await root.submit(input(word, "steer"), context);
	for (const word of ["f1", "f2"]) await root.submit(input(word), context);
	request.answer(fauxToolCall("echo", { text: "x" }));
	(await model.request(1)).answer("mid");
	(await model.request(2)).answer("end");
	await root.waitForIdle(context);
	assert.deepEqual(await transcript(root), [
		"one",
		"(toolCall)",
		"pi.tool-result",
		"s1",
		"s2",
		"mid",
		"f1",
		"f2",
		"end",
	]);
});

test("one at a time is the default, for steers and for follow-ups", async (t) => {
	const { root, model } = await open(t);
	await root.submit(input("one"), context);
	const request = await model.request(0);
	for (const word of ["f1", "f2"]) await root.submit(input(word), context);
	request.answer("a");
	(await model.request(1)).answer("b");
	(await model.request(2)).answer("c");
	await root.waitForIdle(context);
	assert.deepEqual(await transcript(root), ["one", "a", "f1", "b", "f2", "c"]);
});

test("stopping a conversation takes queued messages back, keeps queued writes, and what was said so far", async (t) => {
	const { harness, root, model } = await open(t);
	const first = await root.submit(input("one"), context);
	const request = await model.request(0);
	request.say("half an ans");
	await until("the partial answer", async () =>
		JSON.stringify((await root.viewState(context)).value).includes("half"),
	);
	const second = await root.submit(input("two"), context);
	await root.submit({ type: "write", entry: { kind: "test.note", data: "kept" } }, context);
	assert.equal(await root.abort(context), true);
	assert.deepEqual(
		(await Promise.all([first, second].map((submission) => submission.wait(context)))).map(
			({ reason }) => reason,
		),
		["aborted", "aborted"],
	);
	assert.deepEqual(await inboxOf(root, harness), ["write"]);
	assert.equal(request.options.signal?.aborted, true);
	assert.deepEqual(await transcript(root), ["one", "half an ans"]);
	const { items } = await root.entries({}, 1, undefined, context);
	const [message] = items[0]!.model!;
	assert.equal(message?.role === "assistant" && message.stopReason, "aborted");
	assert.equal(await root.abort(context), false, "nothing is left to stop");
	await root.submit(input("three"), context);
	(await model.request(1)).answer("3");
	await root.waitForIdle(context);
	assert.deepEqual(await transcript(root), ["one", "half an ans", "note kept", "three", "3"]);
});

test("the same request id is the same submission, whatever is sent with it", async (t) => {
	const { root, model } = await open(t);
	const first = await root.submit({ ...input("one"), requestId: "r1" }, context);
	const again = await root.submit({ ...input("other words"), requestId: "r1" }, context);
	assert.equal(again.id, first.id);
	await assert.rejects(
		root.submit({ type: "write", entry: { kind: "test.note" }, requestId: "r1" }, context),
		RequestIdReused,
	);
	(await model.request(0)).answer("1");
	assert.deepEqual(await again.wait(context), await first.wait(context));
	const later = await root.submit({ ...input("one"), requestId: "r1" }, context);
	assert.equal(later.id, first.id);
	assert.deepEqual(await transcript(root), ["one", "1"]);
});

test("a reset starts a new context; placed in a tool round, it ends the run", async (t) => {
	const { root, model } = await open(t);
	await root.submit(input("one"), context);
	(await model.request(0)).answer("1");
	await root.waitForIdle(context);
	await root.reset("We were counting.", context);
	const second = await root.submit(input("two"), context);
	const request = await model.request(1);
	assert.deepEqual(
		request.messages.filter(({ role }) => role === "user").map(({ content }) => content),
		["We were counting.", "two"],
	);
	await root.reset(undefined, context);
	const third = await root.submit(input("three"), context);
	request.answer(fauxToolCall("echo", { text: "x" }));
	assert.equal((await second.wait(context)).reason, "reset");
	const last = await model.request(2);
	assert.deepEqual(
		last.messages.filter(({ role }) => role !== "system").map(({ content }) => content),
		["three"],
	);
	last.answer("3");
	assert.equal((await third.wait(context)).status, "done");
});

test("a write that would bring back what a later head cut away is stale", async (t) => {
	const { root, model } = await open(t);
	await root.submit(input("one"), context);
	(await model.request(0)).answer("1");
	await root.waitForIdle(context);
	const [oldest] = (await root.entries({ order: "ascending" }, 1, undefined, context)).items;
	await root.reset(undefined, context);
	const head = { type: "write", entry: { kind: "test.note", head: oldest!.id } } as const;
	const idle = await root.submit(head, context);
	assert.equal((await idle.wait(context)).reason, "stale");
	await root.submit(input("two"), context);
	const request = await model.request(1);
	const busy = await root.submit(head, context);
	request.answer("2");
	assert.equal((await busy.wait(context)).reason, "stale");
});

test("a handoff cuts the context before what waits is placed, so that an older head is stale", async (t) => {
	const hands = defineTool({
		name: "hands",
		description: "Hands over.",
		parameters: obj({}),
		execute: async () => ({ content: [], control: { handoff: "carry on" } }),
	});
	const { root, model } = await open(t, { tools: [hands] });
	const first = await root.submit(input("one"), context);
	const [oldest] = (await root.entries({ order: "ascending" }, 1, undefined, context)).items;
	const request = await model.request(0);
	const head = await root.submit({ type: "write", entry: { kind: "test.note", head: oldest!.id } }, context);
	const next = await root.submit(input("two"), context);
	request.answer(fauxToolCall("hands", {}));
	assert.equal((await first.wait(context)).status, "done");
	assert.equal((await head.wait(context)).reason, "stale");
	const second = await model.request(1);
	assert.deepEqual(
		second.messages.filter(({ role }) => role === "user").map(({ content }) => content),
		["carry on", "two"],
	);
	second.answer("2");
	assert.equal((await next.wait(context)).status, "done");
});

test("a message without a model says what is missing", async (t) => {
	const { harness, root } = await open(t);
	for (const [model, detail] of [
		[null, /No model is chosen/],
		[{ provider: "steered", modelId: "gone" }, /steered\/gone isn't available/],
	] as const) {
		await root.configure({ model }, context);
		const settled = await (await root.submit(input("hello"), context)).wait(context);
		assert.equal(settled.reason, "no_model");
		assert.match(String(settled.detail), detail);
	}
	await harness.waitForIdle(context);
});

test("admission can be a part of the commit that creates the conversation", async (t) => {
	const { harness, model } = await open(t);
	const { id, submission } = await harness.commit(async (tx) => {
		const created = await tx.createConversation({ ownership: { kind: "ownerless" } });
		const { configure } = await import("./configure.ts");
		await configure(tx, created.id, { model: model.ref });
		return {
			id: created.id,
			submission: await harness.admit(tx, created.id, { ...input("first"), requestId: "create-1" }),
		};
	}, context);
	harness.resume();
	(await model.request(0)).answer("hello");
	const settled = await (await harness.submission(submission.id, context))!.wait(context);
	assert.equal(settled.status, "done");
	const conversation = (await harness.conversation(id, context))!;
	assert.deepEqual(await transcript(conversation), ["first", "hello"]);
	assert.equal(await harness.conversation(9_999_999 as never, context), undefined);
	assert.equal(await harness.submission(9_999_999 as never, context), undefined);
});

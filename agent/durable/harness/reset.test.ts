import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { fauxToolCall, type Message } from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import { context, openTestHarness, type TestHarnessOptions } from "../testing/open-harness.ts";
import { createSteeredModel } from "../testing/steered-model.ts";
import { openStore } from "../testing/stores.ts";
import type { Conversation } from "../types/harness.ts";
import { defineTool } from "../types/tools.ts";
import { AgentDoc, ProviderDoc, UsageDoc } from "./built-in-documents.ts";

const quick = defineTool({
	name: "quick",
	description: "Is done at once.",
	parameters: obj({}),
	execute: async () => ({ content: [{ type: "text", text: "quick" }] }),
});
const hands = defineTool({
	name: "hands",
	description: "Hands over.",
	parameters: obj({}),
	execute: async () => ({ content: [], control: { handoff: "carry on" } }),
});

async function open(t: TestContext, options: TestHarnessOptions = {}) {
	const model = createSteeredModel();
	const tools = [quick, hands];
	return {
		...(await openTestHarness(t, { models: model.models, model: model.ref, tools, ...options })),
		model,
	};
}

const input = (content: string) => ({ type: "input", content }) as const;

const people = (messages: readonly Message[]) =>
	messages.filter(({ role }) => role === "user").map(({ content }) => content);

async function kindsOf(conversation: Conversation): Promise<string[]> {
	const { items } = await conversation.entries({ order: "ascending" }, 100, undefined, context);
	return items.map(({ kind }) => kind).filter((kind) => kind !== "pi.system");
}

test("a reset that waits for an answer follows it: the run is done, and what was queued before it runs in the new context", async (t) => {
	const { root, model } = await open(t);
	const first = await root.submit(input("one"), context);
	const request = await model.request(0);
	const next = await root.submit(input("two"), context);
	await root.reset("note", context);
	request.answer("1");
	assert.equal((await first.wait(context)).status, "done");
	const second = await model.request(1);
	assert.deepEqual(people(second.messages), ["note", "two"]);
	second.answer("2");
	assert.equal((await next.wait(context)).status, "done");
	assert.deepEqual(await kindsOf(root), ["pi.user", "pi.assistant", "pi.reset", "pi.user", "pi.assistant"]);
});

test("a reset changes neither the agent nor the provider identity nor the spend", async (t) => {
	const { harness, root, model } = await open(t);
	await root.configure({ instructions: "stays", thinkingLevel: "low" }, context);
	const first = await root.submit(input("one"), context);
	(await model.request(0)).answer("1");
	await first.wait(context);
	const read = async () => ({
		agent: await harness.snapshot(AgentDoc, root.id, context),
		provider: await harness.snapshot(ProviderDoc, root.id, context),
		usage: await harness.snapshot(UsageDoc, root.id, context),
	});
	const before = await read();
	await root.reset(undefined, context);
	assert.deepEqual(await read(), before);
	const second = await root.submit(input("two"), context);
	const request = await model.request(1);
	assert.deepEqual(people(request.messages), ["two"]);
	assert.equal(request.options.sessionId, before.provider?.sessionId);
	request.answer("2");
	await second.wait(context);
});

test("one call of a round that hands over ends the run with its answer, whatever the other calls say", async (t) => {
	const { root, model } = await open(t);
	const first = await root.submit(input("one"), context);
	(await model.request(0)).answer([fauxToolCall("quick", {}), fauxToolCall("hands", {})]);
	const settled = await first.wait(context);
	assert.equal(settled.status, "done");
	const { items } = await root.entries({}, 100, undefined, context);
	const answer = items.find(({ id }) => settled.type === "input" && id === settled.answer);
	assert.equal(answer?.kind, "pi.assistant");
	assert.equal(items[0]?.kind, "pi.reset");
	assert.deepEqual(people((await root.context(context)).messages), ["carry on"]);
	assert.equal(model.requests.length, 1, "the model isn't asked by the handoff itself");
	const second = await root.submit(input("two"), context);
	const request = await model.request(1);
	assert.deepEqual(people(request.messages), ["carry on", "two"]);
	request.answer("2");
	await second.wait(context);
});

test("queued, placed and survived: a reset of a process that ended is placed by the next one", async (t) => {
	const { storage, reopen } = await openStore(t);
	const before = await open(t, { storage, closes: false });
	await before.root.submit(input("one"), context);
	await before.model.request(0);
	await before.root.reset("note", context);
	await before.harness.close(context);
	const { harness, root, model } = await open(t, { storage: await reopen() });
	harness.resume();
	(await model.request(0)).answer("1");
	await root.waitForIdle(context);
	assert.deepEqual(people((await root.context(context)).messages), ["note"]);
	assert.deepEqual((await kindsOf(root)).slice(-2), ["pi.assistant", "pi.reset"]);
});

test("a watch shows a reset as the new beginning of the transcript; older entries stay to be read", async (t) => {
	const { root } = await open(t);
	const view = await root.viewState(context);
	t.after(() => view.dispose());
	await root.commit((tx) => tx.appendEntry(root.id, { kind: "test.note", data: "old" }), context);
	await root.reset("note", context);
	assert.deepEqual(
		view.value.entries.map(({ kind }) => kind),
		["pi.reset"],
	);
	assert.deepEqual(await kindsOf(root), ["test.note", "pi.reset"]);
});

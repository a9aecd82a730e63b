import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { fauxToolCall } from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import { defineExtension, hook } from "../harness/registry.ts";
import { context, openTestHarness } from "../testing/open-harness.ts";
import { createSteeredModel } from "../testing/steered-model.ts";
import { openStore } from "../testing/stores.ts";
import { turns } from "../testing/until.ts";
import type { GenerationHooks } from "../types/extensions.ts";
import type { Storage } from "../types/storage.ts";
import { defineTool } from "../types/tools.ts";
import { GenerationTask } from "./task.ts";

const noop = defineTool({
	name: "noop",
	description: "Nothing.",
	parameters: obj({}),
	execute: async () => ({}),
});

async function open(t: TestContext, handlers: Partial<GenerationHooks>[], storage?: Storage, closes = true) {
	const model = createSteeredModel();
	const extensions = handlers.map((each, index) =>
		defineExtension({ name: `hooks-${index}`, hooks: [hook(GenerationTask, each)] }),
	);
	const harness = await openTestHarness(t, {
		models: model.models,
		model: model.ref,
		tools: [noop],
		extensions,
		closes,
		...(storage === undefined ? {} : { storage }),
	});
	return { ...harness, model };
}

test("beforeRequest replaces the messages of one request, one extension after the other, and stores nothing", async (t) => {
	const add = (text: string): Partial<GenerationHooks> => ({
		beforeRequest: ({ messages }) => ({
			messages: [...messages, { role: "user", content: text, timestamp: 0 }],
		}),
	});
	const { root, model } = await open(t, [add("a"), add("b")]);
	await root.submit({ type: "input", content: "go" }, context);
	const request = await model.request(0);
	assert.deepEqual(
		request.messages.filter(({ role }) => role === "user").map(({ content }) => content),
		["go", "a", "b"],
	);
	request.answer("ok");
	await root.waitForIdle(context);
	const view = await root.context(context);
	assert.deepEqual(
		view.messages.filter(({ role }) => role === "user").map(({ content }) => content),
		["go"],
	);
});

test("afterResponse sees every response as it ended, and a hook that throws is reported and ends nothing", async (t) => {
	const seen: string[] = [];
	const { root, model, reports } = await open(t, [
		{
			afterResponse: () => {
				throw new Error("broken observer");
			},
		},
		{ afterResponse: (message) => void seen.push(message.stopReason) },
	]);
	await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).answer(fauxToolCall("noop", {}));
	(await model.request(1)).answer("ok");
	await root.waitForIdle(context);
	assert.deepEqual(seen, ["toolUse", "stop"]);
	assert.match(String(reports[0]), /broken observer/);
});

test("onYield keeps a run going with another message; the first wish wins; the input stays open", async (t) => {
	let asked = 0;
	const { root, model } = await open(t, [
		{ onYield: () => (asked++ === 0 ? { continue: "Keep going." } : undefined) },
		{ onYield: () => (asked < 2 ? { continue: "ignored" } : undefined) },
	]);
	const submission = await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).answer("half");
	const second = await model.request(1);
	assert.equal((await submission.status(context)).status, "placed");
	assert.equal(second.messages.findLast(({ role }) => role === "user")?.content, "Keep going.");
	second.answer("whole");
	const settled = await submission.wait(context);
	const answer = settled.status === "done" && settled.type === "input" ? settled.answer : undefined;
	const { items } = await root.entries({}, 1, undefined, context);
	assert.equal(items[0]?.id, answer);
});

test("onYield gives way to messages that wait", async (t) => {
	const { root, model } = await open(t, [{ onYield: () => ({ continue: "Keep going." }) }]);
	await root.submit({ type: "input", content: "one" }, context);
	const request = await model.request(0);
	await root.submit({ type: "input", content: "two" }, context);
	request.answer("1");
	const second = await model.request(1);
	assert.equal(second.messages.findLast(({ role }) => role === "user")?.content, "two");
	await root.abort(context);
});

test("afterTools runs once a round is over, with its results in call order", async (t) => {
	const rounds: number[] = [];
	const { root, model } = await open(t, [
		{ afterTools: (_assistant, results) => void rounds.push(results.length) },
	]);
	await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).answer([
		fauxToolCall("noop", {}),
		fauxToolCall("unknown", {}),
		fauxToolCall("noop", {}),
	]);
	(await model.request(1)).answer("ok");
	await root.waitForIdle(context);
	assert.deepEqual(rounds, [3]);
});

test("a decision stored with memo() is the first one, in this process and the next", async (t) => {
	const { storage, reopen } = await openStore(t);
	const decisions: unknown[] = [];
	const deciding = (candidate: string): Partial<GenerationHooks> => ({
		beforeRequest: async (_request, api, ctx) => {
			decisions.push(await api.memo("test:choice", candidate, ctx));
			return undefined;
		},
	});
	const first = await open(t, [deciding("first"), deciding("second")], storage, false);
	await first.root.submit({ type: "input", content: "go" }, context);
	await first.model.request(0);
	await first.harness.close(context);
	const next = await open(t, [deciding("third")], await reopen());
	next.harness.resume();
	(await next.model.request(0)).answer("ok");
	await next.root.waitForIdle(context);
	assert.deepEqual(decisions, ["first", "first", "first"]);
	await turns();
});

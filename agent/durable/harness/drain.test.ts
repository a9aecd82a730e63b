import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type AssistantMessage, fauxToolCall } from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import { createManualClock } from "../testing/manual-clock.ts";
import { context, openTestHarness, type TestHarnessOptions } from "../testing/open-harness.ts";
import { createSteeredModel } from "../testing/steered-model.ts";
import { openStore } from "../testing/stores.ts";
import { storedResults, textOf } from "../testing/tool-calls.ts";
import { turns, until } from "../testing/until.ts";
import type { Conversation } from "../types/harness.ts";
import { defineTool, type ToolRegistration } from "../types/tools.ts";
import { LiveDoc } from "./built-in-documents.ts";

const SECONDS_8 = 8_000;

/** A harness on a store, which the next process opens with a model of its own. */
async function openTwice(t: TestContext, options: TestHarnessOptions = {}) {
	const { storage, reopen } = await openStore(t);
	const clock = createManualClock();
	const open = async (on: Awaited<ReturnType<typeof reopen>>, closes: boolean) => {
		const model = createSteeredModel();
		const opened = await openTestHarness(t, {
			models: model.models,
			model: model.ref,
			clock,
			storage: on,
			closes,
			...options,
		});
		return { ...opened, model };
	};
	const first = await open(storage, false);
	return {
		clock,
		...first,
		/** Ends the first as a handover does, and opens the next. */
		async next() {
			await first.harness.close(context);
			const second = await open(await reopen(), true);
			second.harness.resume();
			return second;
		},
	};
}

async function answers(root: Conversation): Promise<[text: string, stopReason: string][]> {
	const { items } = await root.entries({ order: "ascending" }, 100, undefined, context);
	return items
		.filter(({ kind }) => kind === "pi.assistant")
		.map(({ model }) => {
			const { content, stopReason } = model![0] as AssistantMessage;
			return [content.map((part) => (part.type === "text" ? part.text : "")).join(""), stopReason];
		});
}

const done = (tool: Pick<ToolRegistration, "name"> & Partial<ToolRegistration>): ToolRegistration =>
	defineTool({
		description: "Works.",
		parameters: obj({}),
		execute: async () => ({ content: [{ type: "text", text: "done" }] }),
		...tool,
	});

test("a harness that drains lets an answer end, and the next process makes the calls that it asks for", async (t) => {
	const ran: string[] = [];
	const tool = done({
		name: "work",
		execute: async () => {
			ran.push("work");
			return { content: [{ type: "text", text: "done" }] };
		},
	});
	const { harness, root, model, next } = await openTwice(t, { tools: [tool] });
	await root.submit({ type: "input", content: "go" }, context);
	const request = await model.request(0);
	request.say("let me see");
	const drained = harness.drain(SECONDS_8, context);
	await turns();
	assert.equal(request.options.signal?.aborted, false, "the answer is not cut");
	request.answer(fauxToolCall("work", {}));
	assert.equal(await drained, true);
	assert.deepEqual(ran, [], "no next phase begins");
	const second = await next();
	const followUp = await second.model.request(0);
	assert.deepEqual(ran, ["work"]);
	followUp.answer("that is it");
	await second.root.waitForIdle(context);
	assert.deepEqual(await answers(second.root), [
		["let me see", "toolUse"],
		["that is it", "stop"],
	]);
});

test("an answer that takes too long is cut: the request is sent again, and its part stays, marked aborted", async (t) => {
	const { harness, root, model, clock, next } = await openTwice(t);
	await root.submit({ type: "input", content: "go" }, context);
	const request = await model.request(0);
	request.say("once upon");
	await until("the part is stored", async () =>
		JSON.stringify(await harness.snapshot(LiveDoc, root.id, context)).includes("once upon"),
	);
	const drained = harness.drain(SECONDS_8, context);
	await clock.advance(SECONDS_8);
	assert.equal(await drained, false);
	const second = await next();
	assert.equal(request.options.signal?.aborted, true, "the close cuts it");
	(await second.model.request(0)).answer("a whole story");
	await second.root.waitForIdle(context);
	assert.deepEqual(await answers(second.root), [
		["once upon", "aborted"],
		["a whole story", "stop"],
	]);
});

test("a call that can recover is left at once, and what it does after that is not stored", async (t) => {
	const log: string[] = [];
	const tool = done({
		name: "work",
		execute: async (_args, api, callContext) => {
			log.push("execute");
			await new Promise((resolve) => callContext.abortSignal?.addEventListener("abort", resolve));
			await assert.rejects(api.memo("late", true, context), /isn't running any more/);
			log.push("left");
			return { content: [{ type: "text", text: "from the first process" }] };
		},
		recover: async () => {
			log.push("recover");
			return { content: [{ type: "text", text: "from the next" }] };
		},
	});
	const { harness, root, model, reports, next } = await openTwice(t, { tools: [tool] });
	await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).answer(fauxToolCall("work", {}));
	await until("the call runs", () => log.includes("execute"));
	assert.equal(await harness.drain(SECONDS_8, context), true);
	assert.deepEqual(log, ["execute", "left"]);
	const second = await next();
	(await second.model.request(0)).answer("ok");
	await second.root.waitForIdle(context);
	assert.deepEqual(log, ["execute", "left", "recover"]);
	assert.deepEqual((await storedResults(second.root)).map(textOf), ["from the next"]);
	assert.deepEqual(reports, []);
});

test("a call that can't recover gets the time to end with its own result", async (t) => {
	const ending = Promise.withResolvers<void>();
	const log: string[] = [];
	const tool = done({
		name: "work",
		execute: async () => {
			log.push("execute");
			await ending.promise;
			return { content: [{ type: "text", text: "done" }] };
		},
	});
	const { harness, root, model, next } = await openTwice(t, { tools: [tool] });
	await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).answer(fauxToolCall("work", {}));
	await until("the call runs", () => log.includes("execute"));
	const drained = harness.drain(SECONDS_8, context);
	ending.resolve();
	assert.equal(await drained, true);
	const second = await next();
	(await second.model.request(0)).answer("ok");
	await second.root.waitForIdle(context);
	assert.deepEqual(log, ["execute"]);
	assert.deepEqual((await storedResults(second.root)).map(textOf), ["done"]);
});

test("a wait for the next attempt is left at once, and goes on for what is left of it", async (t) => {
	const { harness, root, model, clock, next } = await openTwice(t);
	await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).fail("503 Service Unavailable: overloaded");
	await until("the wait", async () => {
		const live = await harness.snapshot(LiveDoc, root.id, context);
		return live?.generation?.retry;
	});
	assert.equal(await harness.drain(SECONDS_8, context), true);
	const second = await next();
	await turns();
	assert.equal(second.model.requests.length, 0);
	await clock.advance(2_000);
	(await second.model.request(0)).answer("here");
	await second.root.waitForIdle(context);
	assert.deepEqual((await answers(second.root)).at(-1), ["here", "stop"]);
});

test("what is handed in while it drains is stored and begun by the next process", async (t) => {
	const { harness, root, model, next } = await openTwice(t);
	await root.submit({ type: "input", content: "one" }, context);
	const request = await model.request(0);
	const drained = harness.drain(SECONDS_8, context);
	await root.submit({ type: "input", content: "two" }, context);
	request.answer("first");
	assert.equal(await drained, true);
	assert.equal((await harness.inspect(context)).scheduling, "closing");
	assert.equal(model.requests.length, 1);
	const second = await next();
	const followUp = await second.model.request(0);
	assert.match(JSON.stringify(followUp.messages.at(-1)), /two/);
	followUp.answer("second");
	await second.root.waitForIdle(context);
	assert.deepEqual(await answers(second.root), [
		["first", "stop"],
		["second", "stop"],
	]);
});

test("nothing runs in a harness that drained, whoever waits for it", async (t) => {
	const { harness, root, model, next } = await openTwice(t);
	assert.equal(await harness.drain(0, context), true);
	harness.resume();
	await root.submit({ type: "input", content: "go" }, context);
	await turns();
	assert.equal(model.requests.length, 0);
	const second = await next();
	(await second.model.request(0)).answer("ok");
	await second.root.waitForIdle(context);
	assert.deepEqual(await answers(second.root), [["ok", "stop"]]);
});

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type FauxContentBlock, fauxToolCall, type Message } from "@earendil-works/pi-ai";
import {
	type Conversation,
	type Harness,
	LiveDoc,
	type LiveState,
	type ToolSlot,
} from "../../durable/index.ts";
import { createManualClock } from "../../durable/testing/manual-clock.ts";
import { context, openTestHarness, type TestHarnessOptions } from "../../durable/testing/open-harness.ts";
import { createSteeredModel, type SteeredRequest } from "../../durable/testing/steered-model.ts";
import { openStore } from "../../durable/testing/stores.ts";
import { resultsIn, storedResults, textOf } from "../../durable/testing/tool-calls.ts";
import { until } from "../../durable/testing/until.ts";
import type { SubagentLimits } from "./budget.ts";
import { createSubagents, type SubagentDetails, SubagentDoc } from "./index.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;
const LIMITS: SubagentLimits = { depth: 2, cost: 10, timeMs: HOUR };

type Opened = Awaited<ReturnType<typeof open>>;

async function open(
	t: TestContext,
	{ limits = LIMITS, ...options }: TestHarnessOptions & { readonly limits?: SubagentLimits } = {},
) {
	const model = createSteeredModel();
	let harness: Harness | undefined;
	const subagents = createSubagents({ source: () => harness!, limits: () => limits });
	const opened = await openTestHarness(t, {
		models: model.models,
		model: model.ref,
		extensions: [subagents],
		...options,
	});
	harness = opened.harness;
	return { ...opened, model };
}

const call = (args: object, id = "call-1") =>
	fauxToolCall("subagent", { description: "look", prompt: "look it up", ...args }, { id });

/** Has the model answer a message with these calls. */
async function ask({ root, model }: Opened, ...calls: FauxContentBlock[]) {
	const submission = await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).answer(calls);
	return submission;
}

async function slot(root: Conversation, harness: Harness, index = 0): Promise<ToolSlot> {
	return until("the call names its conversation", async () => {
		const live = (await harness.snapshot(LiveDoc, root.id, context)) as LiveState | undefined;
		const found = live?.tools?.[index];
		return found?.details === undefined ? undefined : found;
	});
}

async function childOf({ root, harness }: Opened, index = 0): Promise<Conversation> {
	const { details } = await slot(root, harness, index);
	return (await harness.conversation((details as SubagentDetails).conversationId, context))!;
}

function asked(messages: readonly Message[]): unknown[] {
	return messages.filter(({ role }) => role === "user").map(({ content }) => content);
}

/** The request whose newest user message is this one. */
async function requestFor({ model }: Opened, words: string): Promise<SteeredRequest> {
	return until(`a request for "${words}"`, () =>
		model.requests.findLast(({ messages }) => asked(messages).at(-1) === words),
	);
}

test("the call waits for its subagent's answer and hands it back; the spend stays in the child", async (t) => {
	const opened = await open(t);
	const submission = await ask(opened, call({}));
	const inner = await opened.model.request(1);
	assert.deepEqual(asked(inner.messages), ["look it up"]);
	const child = await childOf(opened);
	const agent = await child.agent(context);
	assert.deepEqual(agent.model, opened.model.ref);
	assert.match(agent.instructions ?? "", /You are a subagent/);
	inner.answer("It is in a.ts.");
	const outer = await opened.model.request(2);
	assert.equal(textOf(resultsIn(outer.messages)[0]), "It is in a.ts.");
	outer.answer("Found.");
	assert.equal((await submission.wait(context)).status, "done");
	const [result] = await storedResults(opened.root);
	assert.deepEqual((result!.details as SubagentDetails).conversationId, child.id);
	assert.equal(result!.isError, false);
});

test("several calls at once run in parallel, each with a conversation of its own", async (t) => {
	const opened = await open(t);
	await ask(opened, call({ prompt: "one" }, "a"), call({ prompt: "two" }, "b"));
	const [one, two] = [await requestFor(opened, "one"), await requestFor(opened, "two")];
	two.answer("second");
	one.answer("first");
	const outer = await opened.model.request(3);
	assert.deepEqual(resultsIn(outer.messages).map(textOf), ["first", "second"]);
});

test("another model answers when the call names it, and one that isn't there is an error with names", async (t) => {
	const opened = await open(t);
	await ask(opened, call({ model: "steered/steered-1" }, "a"), call({ model: "nobody" }, "b"));
	const child = await childOf(opened);
	assert.deepEqual((await child.agent(context)).model, opened.model.ref);
	(await opened.model.request(1)).answer("done");
	const outer = await opened.model.request(2);
	const [good, bad] = resultsIn(outer.messages);
	assert.equal(good!.isError, false);
	assert.match(textOf(bad), /There is no model nobody\..*steered\/steered-1/);
});

test("a message sent to a running subagent joins its work at the next step", async (t) => {
	const opened = await open(t);
	await ask(opened, call({}));
	const inner = await opened.model.request(1);
	const child = await childOf(opened);
	await child.submit({ type: "input", content: "only in src", whenBusy: "steer" }, context);
	inner.answer(call({ prompt: "deeper" }, "inner"));
	(await requestFor(opened, "deeper")).answer("nothing there");
	const next = await requestFor(opened, "only in src");
	next.answer("src/a.ts");
	assert.equal(textOf(resultsIn((await opened.model.request(4)).messages)[0]), "src/a.ts");
});

test("a stop of the parent stops its subagents, from the bottom up", async (t) => {
	const opened = await open(t);
	const submission = await ask(opened, call({}));
	(await opened.model.request(1)).answer(call({ prompt: "deeper" }));
	const deepest = await requestFor(opened, "deeper");
	const child = await childOf(opened);
	const grandchild = await childOf({ ...opened, root: child });
	await opened.root.abort(context);
	assert.equal(deepest.options.signal?.aborted, true);
	assert.deepEqual((await opened.harness.inspect(context)).tasks, []);
	assert.equal((await submission.wait(context)).reason, "aborted");
	await grandchild.waitForIdle(context);
});

test("a subagent that someone stops ends its call with an error that holds the last it said", async (t) => {
	const opened = await open(t);
	await ask(opened, call({}));
	const inner = await opened.model.request(1);
	inner.say("I have looked at half of it.");
	const child = await childOf(opened);
	await until("its words are stored", async () => {
		const live = (await opened.harness.snapshot(LiveDoc, child.id, context)) as LiveState;
		return live.generation?.message !== undefined;
	});
	await child.abort(context);
	const [result] = resultsIn((await opened.model.request(2)).messages);
	assert.equal(result!.isError, true);
	assert.match(textOf(result), /stopped by a person.*I have looked at half of it\./s);
});

test("a subagent whose model fails ends its call with the reason", async (t) => {
	const opened = await open(t, { settings: { retry: { enabled: false } } });
	await ask(opened, call({}));
	(await opened.model.request(1)).fail("no such key");
	const [result] = resultsIn((await opened.model.request(2)).messages);
	assert.equal(result!.isError, true);
	assert.match(textOf(result), /failed \(model_error: no such key\)/);
});

for (const background of [false, true])
	test(`a subagent in the ${background ? "background" : "foreground"} goes on after the process ended: one child, one task, one answer`, async (t) => {
		const { storage, reopen } = await openStore(t);
		const first = await open(t, { storage, closes: false });
		const submission = await ask(first, call({ background }));
		const inner = await requestFor(first, "look it up");
		assert.equal(inner.options.signal?.aborted, false);
		await first.harness.close(context);

		const next = await open(t, { storage: await reopen() });
		next.harness.resume();
		(await requestFor(next, "look it up")).answer("found it");
		if (background) {
			(await requestFor(next, "go")).answer("I started it.");
			(
				await until("the report", () =>
					next.model.requests.find(({ messages }) => /subagent-result/.test(String(asked(messages).at(-1)))),
				)
			).answer("Thanks.");
		} else (await requestFor(next, "go")).answer("so it is");
		const settled = await (await next.harness.submission(submission.id, context))!.wait(context);
		assert.equal(settled.status, "done");
		await next.root.waitForIdle(context);
		const { items } = await next.harness.conversations({}, 10, undefined, context);
		assert.equal(items.length, 2, "the root and one child");
		const child = items.find(({ owner }) => owner !== undefined)!;
		const entries = await next.harness.entries({ conversationId: child.id }, 20, undefined, context);
		assert.deepEqual(
			entries.items.map(({ kind }) => kind).filter((kind) => kind !== "pi.system"),
			["pi.assistant", "pi.user"],
		);
	});

test("one in the background outlives the run and its stop, and its answer comes as a message", async (t) => {
	const opened = await open(t);
	const { harness, root, model } = opened;
	const submission = await ask(opened, call({ background: true }));
	const inner = await requestFor(opened, "look it up");
	const outer = await until("the next request of the parent", () =>
		model.requests.find(({ messages }) => resultsIn(messages).length > 0),
	);
	assert.match(textOf(resultsIn(outer.messages)[0]), /works on it in the background/);
	await root.abort(context);
	assert.equal((await submission.wait(context)).reason, "aborted");
	await root.waitForIdle(context);
	assert.equal(inner.options.signal?.aborted, false);
	inner.answer("It is in b.ts.");
	const report = await until("the report", () =>
		model.requests.find(({ messages }) => /subagent-result/.test(String(asked(messages).at(-1)))),
	);
	assert.equal(
		asked(report.messages).at(-1),
		'<subagent-result description="look" status="answered">\nIt is in b.ts.\n</subagent-result>',
	);
	report.answer("Good.");
	await until("nothing is left", async () => (await harness.inspect(context)).tasks.length === 0);
});

test("everything ends with { background: true }, and nothing is reported then", async (t) => {
	const opened = await open(t);
	await ask(opened, call({ background: true }));
	const inner = await requestFor(opened, "look it up");
	await opened.root.abort(context, { background: true });
	assert.equal(inner.options.signal?.aborted, true);
	assert.deepEqual((await opened.harness.inspect(context)).tasks, []);
	const { items } = await opened.root.entries({}, 50, undefined, context);
	assert.equal(items.filter(({ kind }) => kind === "pi.user").length, 1);
});

test("depth narrows: the last level isn't offered the tool, and a call of it all the same is refused", async (t) => {
	const opened = await open(t, { limits: { ...LIMITS, depth: 1 } });
	await ask(opened, call({}));
	const inner = await opened.model.request(1);
	const child = await childOf(opened);
	assert.deepEqual((await child.agent(context)).tools, []);
	inner.answer(call({ prompt: "deeper" }));
	const again = await opened.model.request(2);
	assert.match(textOf(resultsIn(again.messages)[0]), /isn't available/);
	again.answer("alone");
	await opened.model.request(3);

	const none = await open(t, { limits: { ...LIMITS, depth: 0 } });
	await ask(none, call({}));
	const [refused] = resultsIn((await none.model.request(1)).messages);
	assert.match(textOf(refused), /No further level of subagents is allowed/);
});

test("cost narrows: a child gets no more than its parent has left, and one that has spent it is stopped", async (t) => {
	const opened = await open(t, { limits: { ...LIMITS, cost: 1 } });
	await ask(opened, call({}));
	const inner = await opened.model.request(1);
	const child = await childOf(opened);
	inner.answer(call({ prompt: "deeper" }), { cost: 0.7 });
	const deepest = await requestFor(opened, "deeper");
	const grandchild = await childOf({ ...opened, root: child });
	const { budget } = (await opened.harness.snapshot(SubagentDoc, grandchild.id, context))!;
	assert.equal(Math.round(budget!.cost * 100), 30);
	deepest.answer(call({ prompt: "too deep" }), { cost: 0.4 });
	const outer = await until("the parent's next request", () =>
		opened.model.requests.find(
			({ messages }) => asked(messages)[0] === "go" && resultsIn(messages).length > 0,
		),
	);
	assert.match(textOf(resultsIn(outer.messages)[0]), /had spent all it was allowed to/);
	await child.waitForIdle(context);
	assert.equal((await opened.harness.snapshot(SubagentDoc, child.id, context))?.stopped?.by, "cost");
});

test("time narrows and runs out: the subagent is stopped, also when the agent was away meanwhile", async (t) => {
	const clock = createManualClock();
	const { storage, reopen } = await openStore(t);
	// Short enough that no model is taken for silent before.
	const limits = { ...LIMITS, timeMs: 2 * MINUTE };
	const first = await open(t, { storage, clock, limits, closes: false });
	await ask(first, call({}));
	await requestFor(first, "look it up");
	const child = await childOf(first);
	await clock.advance(MINUTE / 2);
	await first.harness.close(context);

	await clock.advance(10 * HOUR);
	const next = await open(t, { storage: await reopen(), clock, limits });
	next.harness.resume();
	const inner = await requestFor(next, "look it up");
	const { budget } = (await until("the time away isn't counted", async () => {
		const state = await next.harness.snapshot(SubagentDoc, child.id, context);
		return (state?.budget?.until ?? 0) > clock.now() ? state : undefined;
	}))!;
	inner.answer(call({ prompt: "deeper" }));
	await requestFor(next, "deeper");
	const grandchild = await childOf({ ...next, root: (await next.harness.conversation(child.id, context))! });
	const below = (await next.harness.snapshot(SubagentDoc, grandchild.id, context))!;
	assert.equal(below.budget!.until, budget!.until);
	await until("the timers of both budgets run", () => {
		const left = budget!.until - clock.now();
		return clock.timers().filter((ms) => ms <= Math.min(left, MINUTE)).length >= 2;
	});
	await clock.advance(2 * MINUTE);
	const outer = await until("the parent's next request", () =>
		next.model.requests.find(({ messages }) => asked(messages)[0] === "go" && resultsIn(messages).length > 0),
	);
	assert.match(textOf(resultsIn(outer.messages)[0]), /its time was up/);
});

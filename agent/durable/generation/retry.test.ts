import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { LiveDoc } from "../harness/built-in-documents.ts";
import { createManualClock, type ManualClock } from "../testing/manual-clock.ts";
import { context, openTestHarness, type TestHarnessOptions } from "../testing/open-harness.ts";
import { createSteeredModel } from "../testing/steered-model.ts";
import { openStore } from "../testing/stores.ts";
import { until } from "../testing/until.ts";
import type { Harness } from "../types/harness.ts";
import type { ConversationId } from "../types/ids.ts";
import type { LiveState } from "../types/live.ts";

const HOUR = 3_600_000;
const OVERLOADED = "503 Service Unavailable: overloaded";
const limit = (seconds: number) =>
	`Server requested ${seconds}s retry delay (max: 60s). Details: 429 rate limited`;

async function open(t: TestContext, clock: ManualClock, options: TestHarnessOptions = {}) {
	const model = createSteeredModel();
	const harness = await openTestHarness(t, { models: model.models, model: model.ref, clock, ...options });
	return { ...harness, model };
}

type Waiting = Extract<NonNullable<NonNullable<LiveState["generation"]>["waiting"]>, { readonly at: number }>;

/** The wait that spends no attempt, if it is for a limit or the network. */
async function waitingOf(harness: Harness, id: ConversationId): Promise<Waiting | undefined> {
	const waiting = (await generationOf(harness, id))?.waiting;
	return waiting?.reason === "slot" ? undefined : waiting;
}

async function generationOf(harness: Harness, id: ConversationId): Promise<LiveState["generation"]> {
	return ((await harness.snapshot(LiveDoc, id, context)) as LiveState | undefined)?.generation;
}

test("a passing failure is tried again up to three times, after 2, 4 and 8 seconds, shown as it waits", async (t) => {
	const clock = createManualClock();
	const { harness, root, model } = await open(t, clock);
	const submission = await root.submit({ type: "input", content: "go" }, context);
	for (const [index, delay] of [2_000, 4_000, 8_000].entries()) {
		(await model.request(index)).fail(OVERLOADED);
		const waiting = await until("the wait", async () => (await generationOf(harness, root.id))?.retry);
		assert.deepEqual(waiting, { at: clock.now() + delay, error: OVERLOADED });
		assert.equal((await generationOf(harness, root.id))?.attempt, index + 1);
		await clock.advance(delay - 1);
		assert.equal(model.requests.length, index + 1);
		await clock.advance(1);
		await model.request(index + 1);
	}
	(await model.request(3)).fail(OVERLOADED);
	const settled = await submission.wait(context);
	assert.deepEqual([settled.reason, settled.detail], ["model_error", OVERLOADED]);
	const { items } = await root.entries({}, 10, undefined, context);
	assert.equal(
		items.filter(({ kind }) => kind === "pi.assistant").length,
		4,
		"every attempt stays in the transcript",
	);
	assert.equal(model.requests[3]!.messages.filter(({ role }) => role === "assistant").length, 3);
});

test("an attempt that succeeds answers, and the wait is gone from the live state", async (t) => {
	const clock = createManualClock();
	const { harness, root, model } = await open(t, clock);
	const submission = await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).fail(OVERLOADED);
	await until("the wait", async () => (await generationOf(harness, root.id))?.retry);
	await clock.advance(2_000);
	(await model.request(1)).answer("here");
	assert.equal((await submission.wait(context)).status, "done");
	assert.deepEqual(await harness.snapshot(LiveDoc, root.id, context), {});
});

test("waits double and stop growing at a minute", async (t) => {
	const clock = createManualClock();
	const { root, model } = await open(t, clock, { settings: { retry: { maxRetries: 8 } } });
	await root.submit({ type: "input", content: "go" }, context);
	const waits: number[] = [];
	for (let index = 0; index < 8; index++) {
		(await model.request(index)).fail(OVERLOADED);
		const from = clock.now();
		while (model.requests.length === index + 1) await clock.advance(500);
		waits.push(clock.now() - from);
	}
	assert.deepEqual(waits, [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
	(await model.request(8)).answer("ok");
	await root.waitForIdle(context);
});

test("what another attempt can't help is not tried again", async (t) => {
	const clock = createManualClock();
	const { root, model } = await open(t, clock);
	for (const [index, error] of ["401 invalid api key", "400 malformed request"].entries()) {
		const submission = await root.submit({ type: "input", content: "go" }, context);
		(await model.request(index)).fail(error);
		assert.equal((await submission.wait(context)).detail, error);
	}
	assert.deepEqual(clock.timers(), []);
});

test("retries can be switched off, and the policy is read anew for every failure", async (t) => {
	const clock = createManualClock();
	const retry = { enabled: true };
	const { harness, root, model } = await open(t, clock, { settings: { retry } });
	const submission = await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).fail(OVERLOADED);
	await until("the wait", async () => (await generationOf(harness, root.id))?.retry);
	await clock.advance(2_000);
	retry.enabled = false;
	(await model.request(1)).fail(OVERLOADED);
	assert.equal((await submission.wait(context)).reason, "model_error");
});

test("a day that a provider asks to wait is one stored deadline that spends no attempt", async (t) => {
	const clock = createManualClock();
	const { storage, reopen } = await openStore(t);
	const first = await open(t, clock, { storage, closes: false });
	const submission = await first.root.submit({ type: "input", content: "go" }, context);
	(await first.model.request(0)).fail(limit(86_400));
	const waiting = await until("the wait", () => waitingOf(first.harness, first.root.id));
	const deadline = clock.now() + 24 * HOUR;
	assert.deepEqual(waiting, { reason: "limit", at: deadline, error: limit(86_400), resumptions: 1 });
	await clock.advance(10 * HOUR);
	assert.ok(clock.timers()[0]! <= 60_000);
	await first.harness.close(context);

	await clock.advance(4 * HOUR);
	const next = await open(t, clock, { storage: await reopen() });
	assert.deepEqual((await waitingOf(next.harness, next.root.id))?.at, deadline);
	next.harness.resume();
	await until("the timer", () => clock.timers().length > 0);
	await clock.advance(10 * HOUR - 1);
	assert.equal(next.model.requests.length, 0);
	await clock.advance(1);
	(await next.model.request(0)).answer("at last");
	const settled = await (await next.harness.submission(submission.id, context))!.wait(context);
	assert.equal(settled.status, "done");
});

test("a clock set back while the agent was away makes no wait longer than it was meant to be", async (t) => {
	const clock = createManualClock();
	const { storage, reopen } = await openStore(t);
	const first = await open(t, clock, { storage, closes: false });
	await first.root.submit({ type: "input", content: "go" }, context);
	(await first.model.request(0)).fail(limit(7_200));
	await until("the wait", async () => (await generationOf(first.harness, first.root.id))?.waiting);
	await first.harness.close(context);
	clock.setWall(clock.now() - 365 * 24 * HOUR);
	const next = await open(t, clock, { storage: await reopen() });
	next.harness.resume();
	await until("the timer", () => clock.timers().length > 0);
	await clock.advance(2 * HOUR);
	(await next.model.request(0)).answer("ok");
	await next.root.waitForIdle(context);
});

test("a run resumes by itself at most five times after waits that were not its fault", async (t) => {
	const clock = createManualClock();
	const { harness, root, model } = await open(t, clock);
	const submission = await root.submit({ type: "input", content: "go" }, context);
	for (let index = 0; index < 5; index++) {
		(await model.request(index)).fail(limit(3_600));
		await until("the wait", async () => (await waitingOf(harness, root.id))?.resumptions === index + 1);
		assert.equal((await generationOf(harness, root.id))?.attempt, 1, "no attempt was spent");
		await clock.advance(HOUR);
	}
	(await model.request(5)).fail(limit(3_600));
	const settled = await submission.wait(context);
	assert.equal(settled.reason, "model_error");
	assert.equal(model.requests.length, 6);
});

test("a short retry-after is an ordinary retry that waits as long", async (t) => {
	const clock = createManualClock();
	const { harness, root, model } = await open(t, clock);
	await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).fail(limit(30));
	const retry = await until("the wait", async () => (await generationOf(harness, root.id))?.retry);
	assert.equal(retry.at, clock.now() + 30_000);
	assert.equal(await waitingOf(harness, root.id), undefined);
});

test("stopping ends a wait at once", async (t) => {
	const clock = createManualClock();
	const { root, harness, model } = await open(t, clock);
	const submission = await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).fail(limit(86_400));
	await until("the wait", async () => (await generationOf(harness, root.id))?.waiting);
	await root.abort(context);
	assert.equal((await submission.wait(context)).reason, "aborted");
	assert.deepEqual(clock.timers(), []);
});

test("what is changed during a wait applies to the next attempt", async (t) => {
	const clock = createManualClock();
	const { root, harness, model } = await open(t, clock);
	await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).fail(OVERLOADED);
	await until("the wait", async () => (await generationOf(harness, root.id))?.retry);
	await root.configure({ instructions: "Be brief." }, context);
	await clock.advance(2_000);
	const request = await model.request(1);
	assert.ok(JSON.stringify(request.messages).includes("Be brief."));
	request.answer("ok");
	await root.waitForIdle(context);
});

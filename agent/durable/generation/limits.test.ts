import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { LiveDoc } from "../harness/built-in-documents.ts";
import { createManualClock, type ManualClock } from "../testing/manual-clock.ts";
import { context, openTestHarness, type TestHarnessOptions } from "../testing/open-harness.ts";
import { createSteeredModel, type SteeredModel } from "../testing/steered-model.ts";
import { openStore } from "../testing/stores.ts";
import { asksForSummary } from "../testing/talk.ts";
import { until } from "../testing/until.ts";
import type { Conversation, Harness } from "../types/harness.ts";
import type { LiveState } from "../types/live.ts";

const HOUR = 3_600_000;
const limit = (seconds: number) =>
	`Server requested ${seconds}s retry delay (max: 60s). You've hit your 5-hour limit`;

async function open(t: TestContext, clock: ManualClock, options: TestHarnessOptions = {}) {
	const model = createSteeredModel();
	const opened = await openTestHarness(t, { models: model.models, model: model.ref, clock, ...options });
	/** The root asks, as the n-th request of all, and waits for two hours from then on. */
	const meetLimit = async (n = 0) => {
		await ask(opened.root);
		(await model.request(n)).fail(limit(7_200));
		await waitOf(opened.harness, opened.root);
	};
	return { ...opened, model, meetLimit };
}

async function waitOf(harness: Harness, { id }: Conversation): Promise<{ reason: string; at: number }> {
	return until(`the wait of conversation ${id}`, async () => {
		const live = (await harness.snapshot(LiveDoc, id, context)) as LiveState | undefined;
		const waiting = live?.generation?.waiting;
		return waiting?.reason === "limit" ? waiting : undefined;
	});
}

async function another(harness: Harness, model: SteeredModel): Promise<Conversation> {
	return harness.createConversation(
		{ ownership: { kind: "ownerless" }, agent: { model: model.ref } },
		context,
	);
}

const ask = (conversation: Conversation) => conversation.submit({ type: "input", content: "go" }, context);

test("sessions of an account wait together until the time given, and go on some seconds apart", async (t) => {
	const clock = createManualClock();
	const { harness, root, model } = await open(t, clock);
	const [second, third] = [await another(harness, model), await another(harness, model)];
	await ask(root);
	await ask(second);
	(await model.request(0)).fail(limit(7_200));
	const until0 = (await waitOf(harness, root)).at;
	assert.equal(until0, clock.now() + 2 * HOUR);
	// It was on its way already, and is told the same half a second later.
	await clock.advance(500);
	(await model.request(1)).fail(limit(7_200));
	assert.equal((await waitOf(harness, second)).at, until0);
	// It comes later, and sends nothing.
	await ask(third);
	assert.equal((await waitOf(harness, third)).at, until0);
	assert.equal(model.requests.length, 2);

	await clock.advance(until0 - clock.now() - 1);
	assert.equal(model.requests.length, 2);
	await clock.advance(1);
	(await model.request(2)).answer("one");
	await root.waitForIdle(context);
	await clock.advance(1_999);
	assert.equal(model.requests.length, 3);
	await clock.advance(1);
	(await model.request(3)).answer("two");
	await clock.advance(2_000);
	(await model.request(4)).answer("three");
	await harness.waitForIdle(context);
});

test("when the limit isn't over yet, the first one that finds out tells the others", async (t) => {
	const clock = createManualClock();
	const { harness, root, model, meetLimit } = await open(t, clock);
	const second = await another(harness, model);
	await meetLimit();
	await ask(second);
	await waitOf(harness, second);
	await clock.advance(2 * HOUR);
	(await model.request(1)).fail(limit(3_600));
	const next = await waitOf(harness, root);
	assert.equal(next.at, clock.now() + HOUR);
	await clock.advance(2_000);
	await until("the second waits too", async () => (await waitOf(harness, second)).at === next.at);
	assert.equal(model.requests.length, 2);
});

test("a shared limit survives the process, and its length holds whatever the clock does", async (t) => {
	const clock = createManualClock();
	const { storage, reopen } = await openStore(t);
	const first = await open(t, clock, { storage, closes: false });
	await first.meetLimit();
	await first.harness.close(context);

	clock.setWall(clock.now() - 365 * 24 * HOUR);
	const next = await open(t, clock, { storage: await reopen() });
	next.harness.resume();
	const second = await another(next.harness, next.model);
	await ask(second);
	await waitOf(next.harness, second);
	assert.equal(next.model.requests.length, 0);
	await clock.advance(2 * HOUR + 2_000);
	await next.model.request(1);
});

test("a person who tries now ends the wait at once, and it counts as no resumption by itself", async (t) => {
	const clock = createManualClock();
	const { harness, root, model, meetLimit } = await open(t, clock);
	const second = await another(harness, model);
	assert.equal(await root.tryNow(context), false, "nothing waits");
	await meetLimit();
	await ask(second);
	await waitOf(harness, second);
	for (let index = 1; index <= 6; index++) {
		assert.equal(await root.tryNow(context), true);
		(await model.request(index)).fail(limit(7_200));
		await until("it waits again", async () => (await waitOf(harness, root)).at > 0);
	}
	assert.equal(await second.tryNow(context), true);
	(await model.request(7)).answer("it works again");
	await second.waitForIdle(context);
	assert.equal(model.requests.length, 8);
	await root.abort(context);
});

test("a try that was asked for is stored: a crash right after it doesn't take it back", async (t) => {
	const clock = createManualClock();
	const { storage, reopen } = await openStore(t);
	const first = await open(t, clock, { storage, closes: false });
	await first.meetLimit();
	await first.root.tryNow(context);
	await first.harness.close(context);
	const next = await open(t, clock, { storage: await reopen() });
	next.harness.resume();
	(await next.model.request(0)).answer("at once");
	await next.root.waitForIdle(context);
});

test("another model is tried at once, of the same account too", async (t) => {
	const clock = createManualClock();
	const { root, model, meetLimit } = await open(t, clock);
	await meetLimit();
	await root.configure({ instructions: "Be brief." }, context);
	await clock.advance(1_000);
	assert.equal(model.requests.length, 1, "anything else that is changed ends no wait");
	await root.configure({ model: { provider: "steered", modelId: "steered-2" } }, context);
	const request = await model.request(1);
	assert.equal(request.model, "steered-2");
	request.answer("here");
	await root.waitForIdle(context);
});

test("a run that tries in spite of a limit makes room in spite of it as well", async (t) => {
	const clock = createManualClock();
	const { harness, root, model, meetLimit } = await open(t, clock);
	for (const [index, question] of ["one", "two"].entries()) {
		const submission = await root.submit({ type: "input", content: question }, context);
		(await model.request(index)).answer("yes");
		await submission.wait(context);
	}
	const second = await another(harness, model);
	await meetLimit(2);
	await ask(second);
	await waitOf(harness, second);
	assert.equal(await root.tryNow(context), true);
	(await model.request(3)).fail("prompt is too long: 9213 tokens > 8192 maximum");
	const summary = await model.request(4);
	assert.ok(asksForSummary(summary));
	summary.answer("short");
	(await model.request(5)).answer("here");
	await root.waitForIdle(context);
	await second.abort(context);
});

test("a passing failure's wait ends as well when a person tries now, and the attempts stay counted", async (t) => {
	const clock = createManualClock();
	const { harness, root, model } = await open(t, clock);
	const submission = await ask(root);
	for (let index = 0; index < 4; index++) {
		(await model.request(index)).fail("503 overloaded");
		if (index < 3) await until("the wait", () => root.tryNow(context));
	}
	assert.equal((await submission.wait(context)).reason, "model_error");
	assert.equal(model.requests.length, 4);
	await harness.waitForIdle(context);
});

test("a stopped session waits for no limit any more, and holds nobody up", async (t) => {
	const clock = createManualClock();
	const { harness, root, model, meetLimit } = await open(t, clock);
	const second = await another(harness, model);
	await meetLimit();
	await root.abort(context);
	await ask(second);
	(await model.request(1)).answer("no limit any more");
	await second.waitForIdle(context);
	assert.deepEqual(clock.timers(), []);
});

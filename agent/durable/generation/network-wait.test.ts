import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { LiveDoc } from "../harness/built-in-documents.ts";
import { createMachine as createTestMachine, NO_NAME } from "../testing/machine.ts";
import { context, openTestHarness, type TestHarnessOptions } from "../testing/open-harness.ts";
import { createSteeredModel } from "../testing/steered-model.ts";
import { openStore } from "../testing/stores.ts";
import { until } from "../testing/until.ts";
import type { Harness } from "../types/harness.ts";
import type { LiveState } from "../types/live.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function createMachine(t: TestContext) {
	const machine = createTestMachine(t);
	const { clock, network } = machine;
	return {
		...machine,
		async open(options: TestHarnessOptions = {}) {
			const model = createSteeredModel({ baseUrl: "https://api.example.com" });
			const given = { models: model.models, model: model.ref, clock, network, ...options };
			return { ...(await openTestHarness(t, given)), model };
		},
	};
}

async function generationOf(harness: Harness) {
	const [conversation] = (await harness.conversations({}, 1, undefined, context)).items;
	const live = (await harness.snapshot(LiveDoc, conversation!.id, context)) as LiveState | undefined;
	return live?.generation;
}

async function networkWaitOf(harness: Harness): Promise<{ at: number; attempt: number }> {
	return until("the wait for the network", async () => {
		const generation = await generationOf(harness);
		const { waiting, attempt } = generation ?? {};
		return waiting?.reason === "network" ? { at: waiting.at, attempt: attempt! } : undefined;
	});
}

test("without a route nothing is spent: tries at growing intervals, and at once when it is back", async (t) => {
	const { clock, connect, open } = createMachine(t);
	const { harness, root, model } = await open();
	connect(undefined);
	await root.submit({ type: "input", content: "go" }, context);
	const waits: number[] = [];
	for (let index = 0; clock.now() < Date.UTC(2026, 0, 1) + 10 * MINUTE; index++) {
		(await model.request(index)).fail(NO_NAME);
		const { at, attempt } = await networkWaitOf(harness);
		assert.equal(attempt, 1, "no retry was spent");
		waits.push((at - clock.now()) / 1_000);
		await clock.advance(at - clock.now());
	}
	assert.deepEqual(waits, [5, 10, 20, 40, 80, 160, 300]);
	(await model.request(waits.length)).fail(NO_NAME);
	assert.equal((await networkWaitOf(harness)).at - clock.now(), 5 * MINUTE);
	connect("192.168.1.7");
	await clock.advance(1_000);
	(await model.request(waits.length + 1)).answer("here again");
	await root.waitForIdle(context);
});

test("after a day without a network the run ends and says why", async (t) => {
	const { clock, open } = createMachine(t);
	// Without beats, which would make this test a long one.
	const network = { mayBeToBlame: async () => true, subscribe: () => () => {} };
	const { harness, root, model } = await open({ network });
	const submission = await root.submit({ type: "input", content: "go" }, context);
	const began = clock.now();
	let index = 0;
	for (; clock.now() - began < 24 * HOUR; index++) {
		(await model.request(index)).fail(NO_NAME);
		const { at } = await networkWaitOf(harness);
		await clock.advance(at - clock.now());
	}
	(await model.request(index)).fail(NO_NAME);
	assert.deepEqual([(await submission.wait(context)).detail, index > 280], [NO_NAME, true]);
});

test("a wait for the network survives the process", async (t) => {
	const { clock, connect, open } = createMachine(t);
	const { storage, reopen } = await openStore(t);
	const first = await open({ storage, closes: false });
	connect(undefined);
	await clock.advance(5_000);
	await first.root.submit({ type: "input", content: "go" }, context);
	(await first.model.request(0)).fail(NO_NAME);
	await networkWaitOf(first.harness);
	await first.harness.close(context);
	const next = await open({ storage: await reopen() });
	next.harness.resume();
	await until("its timer", () => clock.timers().some((ms) => ms > 1_000));
	connect("192.168.1.7");
	await clock.advance(1_000);
	(await next.model.request(0)).answer("here again");
	await next.root.waitForIdle(context);
});

for (const kind of ["frozen", "late"] as const) {
	test(`a sleep of two hours in an answer (${kind}): the stream is dropped and sent again, nothing is spent`, async (t) => {
		const { clock, connect, open } = createMachine(t);
		const { harness, root, model } = await open();
		const submission = await root.submit({ type: "input", content: "go" }, context);
		const first = await model.request(0);
		first.say("Half of it");
		await until("the partial answer", async () => (await generationOf(harness))?.message);
		await clock.sleep(2 * HOUR, kind);
		// The network comes up some seconds after the machine.
		connect(undefined);
		await clock.advance(5_000);
		assert.equal(first.options.signal?.aborted, true);
		(await model.request(1)).fail(NO_NAME);
		assert.equal((await networkWaitOf(harness)).attempt, 1);
		connect("10.0.0.3");
		await clock.advance(1_000);
		(await model.request(2)).answer("All of it");
		assert.equal((await submission.wait(context)).status, "done");
		const { items } = await root.entries({}, 10, undefined, context);
		assert.match(JSON.stringify(items), /Half of it/, "what was said stays in the transcript");
	});
}

test("a failure within a minute of a wake or a change of address is the network's, later it is not", async (t) => {
	const { clock, connect, open } = createMachine(t);
	const { harness, root, model } = await open();
	await clock.advance(5_000);
	connect("10.0.0.3");
	await clock.advance(5_000);
	await root.submit({ type: "input", content: "go" }, context);
	await clock.advance(55_000);
	(await model.request(0)).fail("read ECONNRESET");
	const { at } = await networkWaitOf(harness);
	await clock.advance(at - clock.now());
	await clock.advance(MINUTE);
	(await model.request(1)).fail("read ECONNRESET");
	await until("an ordinary retry", async () => (await generationOf(harness))?.retry);
});

test("an answer of HTTP is never the network's fault, and begins its patience anew", async (t) => {
	const { clock, connect, open } = createMachine(t);
	const { harness, root, model } = await open();
	connect(undefined);
	await root.submit({ type: "input", content: "go" }, context);
	for (let index = 0; index < 3; index++) {
		(await model.request(index)).fail(NO_NAME);
		const { at } = await networkWaitOf(harness);
		await clock.advance(at - clock.now());
	}
	(await model.request(3)).fail("503 upstream connect error: connection refused");
	const retry = await until("an ordinary retry", async () => (await generationOf(harness))?.retry);
	await clock.advance(retry.at - clock.now());
	(await model.request(4)).fail(NO_NAME);
	assert.equal((await networkWaitOf(harness)).at - clock.now(), 5_000);
});

test("no byte for a minute while the network is away drops the request as the network's", async (t) => {
	const { clock, connect, open } = createMachine(t);
	const { harness, root, model } = await open();
	await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).say("Then");
	await clock.advance(10_000);
	connect(undefined);
	await clock.advance(49_999);
	assert.equal(model.requests[0]!.options.signal?.aborted, false);
	await clock.advance(1);
	assert.equal((await networkWaitOf(harness)).attempt, 1);
	connect("10.0.0.3");
	await clock.advance(1_000);
	(await model.request(1)).answer("here");
	await root.waitForIdle(context);
});

test("a request that is sent into a disturbance and hears nothing for a minute is the network's", async (t) => {
	const { clock, connect, open } = createMachine(t);
	const { harness, root, model } = await open();
	await clock.advance(5_000);
	connect("10.0.0.3");
	await clock.advance(5_000);
	await root.submit({ type: "input", content: "go" }, context);
	const request = await model.request(0);
	await clock.advance(10_000);
	// Another change while it hears nothing.
	connect("10.0.0.4");
	await clock.advance(50_000);
	assert.equal(request.options.signal?.aborted, true);
	assert.equal((await networkWaitOf(harness)).attempt, 1);
	await root.abort(context);
});

test("five minutes without a byte cut a request: a failed attempt, whatever the wall clock says", async (t) => {
	const { clock, open } = createMachine(t);
	const { harness, root, model } = await open();
	await root.submit({ type: "input", content: "go" }, context);
	const first = await model.request(0);
	await clock.advance(4 * MINUTE);
	first.say("still there");
	clock.setWall(clock.now() + 5_000);
	await clock.advance(5 * MINUTE - 1);
	assert.equal(first.options.signal?.aborted, false);
	await clock.advance(1);
	const retry = await until("the retry", async () => (await generationOf(harness))?.retry);
	assert.match(retry.error, /interrupted: nothing came from the model for 300 s/);
});

test("a server on this machine is no matter of the network", async (t) => {
	const { connect, open } = createMachine(t);
	const model = createSteeredModel({ baseUrl: "http://127.0.0.1:11434/v1" });
	const { harness, root } = await open({ models: model.models });
	connect(undefined);
	await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).fail("Connection error.: connect ECONNREFUSED 127.0.0.1:11434");
	await until("an ordinary retry", async () => (await generationOf(harness))?.retry);
});

test("a wait for a place that an ended process had is not shown by the next one", async (t) => {
	const { open } = createMachine(t);
	const { storage, reopen } = await openStore(t);
	const first = await open({ storage, closes: false });
	await first.root.submit({ type: "input", content: "go" }, context);
	(await first.model.request(0)).options.onSlotWait?.(true);
	await until("the wait", async () => (await generationOf(first.harness))?.waiting);
	await first.harness.close(context);
	const next = await open({ storage: await reopen() });
	next.harness.resume();
	const request = await next.model.request(0);
	assert.equal((await generationOf(next.harness))?.waiting, undefined);
	request.answer("here");
	await next.root.waitForIdle(context);
});

test("a request that waits for its place shows it, is not watched for silence, and goes on", async (t) => {
	const { clock, open } = createMachine(t);
	const { harness, root, model } = await open();
	const submission = await root.submit({ type: "input", content: "go" }, context);
	const request = await model.request(0);
	request.options.onSlotWait?.(true);
	const waiting = await until("the wait", async () => (await generationOf(harness))?.waiting);
	assert.deepEqual(waiting, { reason: "slot", since: clock.now() });
	await clock.advance(HOUR);
	assert.equal(request.options.signal?.aborted, false);
	request.options.onSlotWait?.(false);
	await until("it goes on", async () => (await generationOf(harness))?.waiting === undefined);
	request.answer("here");
	assert.equal((await submission.wait(context)).status, "done");
});

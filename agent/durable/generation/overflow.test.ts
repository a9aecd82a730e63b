import assert from "node:assert/strict";
import { test } from "node:test";
import { context } from "../testing/open-harness.ts";
import { asksForSummary, heard, long, openTalk } from "../testing/talk.ts";
import { until } from "../testing/until.ts";

const TOO_LONG = "prompt is too long: 9213 tokens > 8192 maximum";

test("a context that is too long is compacted once and sent again, which spends no attempt", async (t) => {
	const { say, ask, next, running, summaries, entries, compactions } = await openTalk(t);
	await say("one", "a");
	await say("two", "b");
	const third = await ask("three");
	(await next()).fail(TOO_LONG);
	const summary = await next();
	assert.ok(asksForSummary(summary));
	const [status] = await running();
	assert.deepEqual([status!.reason, status!.blocking], ["overflow", true]);
	summary.answer("one and two were said");
	const again = await next();
	assert.match(heard(again)[0]!, /one and two were said/);
	again.answer("now it fits");
	assert.equal((await third.wait(context)).status, "done");
	assert.deepEqual((await summaries())[0]!.data, { reason: "overflow" });
	assert.deepEqual(await compactions(), []);
	const failures = (await entries()).filter(({ model }) => JSON.stringify(model).includes("too long"));
	assert.equal(failures.length, 1, "the failed attempt stays in the transcript");
});

test("a second overflow ends the run with a sentence, and nothing loops", async (t) => {
	const { say, ask, next, model, summaries } = await openTalk(t);
	await say("one", "a");
	await say("two", "b");
	for (const [round, requests] of [
		["three", 5],
		["four", 8],
	] as const) {
		const question = await ask(round);
		(await next()).fail(TOO_LONG);
		(await next()).answer("short");
		(await next()).fail(TOO_LONG);
		const settled = await question.wait(context);
		assert.equal(settled.reason, "model_error");
		assert.equal(
			settled.detail,
			`The conversation is still too long for the model after it was compacted. Choose a model with a larger context window, or start a new context. The model said: ${TOO_LONG}`,
		);
		assert.equal(model.requests.length, requests);
	}
	assert.equal((await summaries()).length, 2);
});

test("a prompt of 9,000 tokens in a window of 8,000 ends every message after a bounded number of requests", async (t) => {
	const { root, ask, model } = await openTalk(t, { contextWindow: 8_192 });
	await root.configure({ instructions: long("rules", 9_000) }, context);
	let answered = 0;
	for (let round = 0; round < 4; round++) {
		const before = answered;
		const question = await ask(`question ${round}`);
		const isSettled = async () => (await question.status(context)).status === "unanswered";
		while (!(await isSettled())) {
			await until("a request or the end", async () => model.requests.length > answered || isSettled());
			const request = model.requests[answered];
			if (request === undefined) continue;
			answered++;
			if (asksForSummary(request)) request.answer("short");
			else request.fail(TOO_LONG);
		}
		const { detail } = await question.status(context);
		assert.match(String(detail), /too long .* Choose a model with a larger context window/s);
		assert.ok(answered - before <= 3, `${answered - before} requests`);
	}
});

test("a compaction that fails after an overflow ends the run with what went wrong", async (t) => {
	const { say, ask, next, model } = await openTalk(t);
	await say("one", "a");
	const second = await ask("two");
	(await next()).fail(TOO_LONG);
	(await next()).fail("401 invalid api key");
	const settled = await second.wait(context);
	assert.equal(settled.reason, "model_error");
	assert.match(String(settled.detail), /compacting it failed: .*401 invalid api key/);
	assert.equal(model.requests.length, 3);
});

test("with automatic compaction switched off an overflow ends the run, and compacting by hand still works", async (t) => {
	const { harness, root, say, ask, next } = await openTalk(t, {
		settings: { compaction: { enabled: false } },
	});
	await say("one", "a");
	const second = await ask("two");
	(await next()).fail(TOO_LONG);
	assert.match(String((await second.wait(context)).detail), /switched off\. Compact it by hand/);
	const id = await root.compact(undefined, context);
	(await next()).answer("short");
	assert.equal((await harness.waitForTask(id, context)).state.outcome.status, "completed");
});

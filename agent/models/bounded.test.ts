import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createModels } from "@earendil-works/pi-ai";
import { LiveDoc, type LiveState } from "../durable/index.ts";
import { createManualClock } from "../durable/testing/manual-clock.ts";
import { context, openTestHarness } from "../durable/testing/open-harness.ts";
import { until } from "../durable/testing/until.ts";
import { type StreamAnswer, startStreamServer } from "./api/testing/stream-server.ts";
import { localProvider } from "./local/provider.ts";

/** A harness on a steered clock, and over real HTTP a server that gives these answers in turn. */
async function open(t: TestContext, ...answers: readonly [StreamAnswer, ...StreamAnswer[]]) {
	const server = await startStreamServer(t, ...answers);
	const models = createModels();
	const address = { id: "local", name: "Local", baseUrl: `${server.url}/v1` };
	models.setProvider(localProvider(address, [{ id: "m", contextWindow: undefined, images: false }]));
	const clock = createManualClock();
	const model = { provider: "local", modelId: "m" };
	const { root, harness } = await openTestHarness(t, { models, model, clock });
	const generation = async () =>
		((await harness.snapshot(LiveDoc, root.id, context)) as LiveState)?.generation;
	return {
		...{ server, clock, root, harness, generation },
		ask: () => root.submit({ type: "input", content: "go" }, context),
		/** The wait after this attempt, as it is shown. */
		retry: (attempt: number) =>
			until("the wait before a retry", async () => {
				const shown = await generation();
				return shown?.attempt === attempt ? shown.retry : undefined;
			}),
	};
}

const SAID = [
	{ choices: [{ index: 0, delta: { content: "Here" } }] },
	{ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
];
const FAILED = { status: 500, body: { error: { message: "Internal server error" } } };

test("500 a hundred times: four requests for each message, each wait shown, and the next message is answered", async (t) => {
	const { server, clock, ask, retry } = await open(t, ...(Array(100).fill(FAILED) as [StreamAnswer]), {
		events: SAID,
		end: "complete",
	});
	for (let message = 1; message <= 25; message++) {
		const submission = await ask();
		for (let attempt = 1; attempt <= 3; attempt++) {
			const { at } = await retry(attempt);
			await clock.advance(at - clock.now());
		}
		const settled = await submission.wait(context);
		assert.match(String(settled.detail), /500/);
		assert.equal(server.requests.length, message * 4);
	}
	assert.equal((await (await ask()).wait(context)).status, "done");
	assert.equal(server.requests.length, 101);
});

test("429 with a retry-after of a day: one wait with its time, and after a stop no request goes out", async (t) => {
	const { server, clock, root, ask, generation } = await open(
		t,
		{ status: 429, body: { error: { message: "rate limited" } }, headers: { "retry-after": "86400" } },
		{ events: SAID, end: "complete" },
	);
	const submission = await ask();
	const waiting = await until("the wait", async () => (await generation())?.waiting);
	assert.ok(waiting.reason === "limit");
	assert.equal(waiting.at - clock.now(), 86_400_000);
	await root.abort(context);
	assert.equal((await submission.wait(context)).reason, "aborted");
	await clock.advance(2 * 86_400_000);
	assert.equal(server.requests.length, 1);
	assert.equal((await (await ask()).wait(context)).status, "done");
});

test("streams that are cut off are tried again, each with what was said, and then the run ends", async (t) => {
	const cut = { events: SAID.slice(0, 1), end: "cut" } as const;
	const { server, clock, root, ask, retry } = await open(t, cut);
	const submission = await ask();
	for (let attempt = 1; attempt <= 3; attempt++) await clock.advance((await retry(attempt)).at - clock.now());
	assert.equal((await submission.wait(context)).reason, "model_error");
	assert.equal(server.requests.length, 4);
	const { items } = await root.entries({}, 20, undefined, context);
	assert.equal(items.filter(({ kind }) => kind === "pi.assistant").length, 4);
});

test("a server that never answers is cut off after five minutes, and a stop ends it at once", async (t) => {
	const { server, clock, root, ask, retry } = await open(t, { end: "silent" });
	const submission = await ask();
	await until("the request", () => server.requests.length === 1);
	await clock.advance(5 * 60_000 - 1);
	await clock.advance(1);
	const { error, at } = await retry(1);
	assert.match(error, /nothing came from the model for 300 s/);
	await clock.advance(at - clock.now());
	await until("the next attempt", () => server.requests.length === 2);
	await root.abort(context);
	assert.equal((await submission.wait(context)).reason, "aborted");
	await clock.advance(3_600_000);
	assert.equal(server.requests.length, 2);
});

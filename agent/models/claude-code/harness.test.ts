import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { obj, str } from "@earendil-works/pi-schema";
import { until } from "../../../build/test/until.mjs";
import {
	type Conversation,
	type ConversationId,
	defineTool,
	type Harness,
	LiveDoc,
	type LiveState,
} from "../../durable/index.ts";
import { context, openTestHarness } from "../../durable/testing/open-harness.ts";
import { openStore } from "../../durable/testing/stores.ts";
import { storedResults } from "../../durable/testing/tool-calls.ts";
import type { Storage } from "../../durable/types/storage.ts";
import { createWorld, MODEL, type World, withoutClaude } from "./testing/world.ts";

const skip = withoutClaude;

/** A harness whose model is Claude Code and whose tool notes each execution in a file of the project. */
async function open(
	t: TestContext,
	world: World,
	storage: Storage,
	onRun: (signal: AbortSignal | undefined) => Promise<void> = async () => {},
) {
	const note = defineTool({
		name: "note",
		description: "Notes a word.",
		parameters: obj({ word: str() }),
		async execute({ word }, _api, { abortSignal }) {
			appendFileSync(join(world.folder, "notes"), `${word}\n`);
			await onRun(abortSignal);
			return { content: [{ type: "text", text: `noted ${word}` }] };
		},
	});
	const opened = await openTestHarness(t, {
		...{ storage, models: world.models, tools: [note], closes: false },
		model: { provider: "claude-code", modelId: MODEL },
	});
	await opened.root.configure({ cwd: world.folder }, context);
	return opened;
}

const call = (word: string) => ({ name: "mcp__outlive__note", input: { word } });
const notes = (world: World) => readFileSync(join(world.folder, "notes"), "utf8").trim().split("\n").sort();

test("the harness alone runs the calls, once each, in the conversation's folder, and gets its answer", {
	skip,
}, async (t) => {
	const world = await createWorld(t);
	world.api.answer({ calls: [call("one"), call("two"), call("three")] }, { text: "Noted." });
	const { storage } = await openStore(t);
	const { harness, root } = await open(t, world, storage);
	t.after(() => harness.close(context));
	const submission = await root.submit({ type: "input", content: "note three words" }, context);
	assert.equal((await submission.wait(context)).status, "done");
	assert.deepEqual(notes(world), ["one", "three", "two"]);
	assert.equal(world.api.requests.length, 2);
	assert.equal(world.starts.length, 1, "the transcript that comes back is what the process has seen");
	assert.equal(world.starts[0]!.cwd, world.folder);
});

test("an agent that goes away between a call and its result goes on with the stored transcript", {
	skip,
}, async (t) => {
	const world = await createWorld(t);
	world.api.answer({ text: "I note it.", calls: [call("one")] }, { text: "Interrupted, I see." });
	const { storage, reopen } = await openStore(t);
	const running = Promise.withResolvers<void>();
	const first = await open(t, world, storage, (signal) => {
		running.resolve();
		return new Promise((_resolve, reject) => {
			signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
		});
	});
	const submission = await first.root.submit({ type: "input", content: "note" }, context);
	await running.promise;
	await first.harness.close(context);
	world.restart();

	const next = await open(t, world, await reopen());
	t.after(() => next.harness.close(context));
	next.harness.resume();
	const settled = await (await next.harness.submission(submission.id, context))!.wait(context);
	assert.equal(settled.status, "done");
	assert.deepEqual(notes(world), ["one"], "it was not run again");
	assert.equal((await storedResults(next.root)).length, 1);
	assert.equal(world.api.requests.length, 2);
	assert.equal(world.starts.length, 2);
	assert.match(JSON.stringify(world.api.requests[1]!.messages), /tool_result/);
});

test("a plan's limit is a wait of the harness with the time the API gives, and a try now goes through", {
	skip,
}, async (t) => {
	const world = await createWorld(t, { variables: { CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-dummy" } });
	const resetsAt = Math.floor(Date.now() / 1_000) + 7_200;
	world.api.answer(
		{
			status: 429,
			error: { type: "rate_limit_error", message: "limit" },
			headers: {
				"anthropic-ratelimit-unified-status": "rejected",
				"anthropic-ratelimit-unified-reset": String(resetsAt),
				"anthropic-ratelimit-unified-representative-claim": "five_hour",
			},
		},
		{ text: "Here." },
	);
	const { storage } = await openStore(t);
	const { harness, root } = await open(t, world, storage);
	t.after(() => harness.close(context));
	const submission = await root.submit({ type: "input", content: "hello" }, context);
	const waiting = await until("the wait", () => waitOf(harness, root.id));
	assert.ok(waiting.reason === "limit" && Math.abs(waiting.at - resetsAt * 1_000) < 10_000);
	assert.match(waiting.error, /You've hit your 5-hour limit/);
	assert.equal(await root.tryNow(context), true);
	assert.equal((await submission.wait(context)).status, "done");
});

test("with no room for another process the next one waits for a slot, says so, and has its turn", {
	skip,
}, async (t) => {
	const world = await createWorld(t, { runningLimit: () => 1 });
	world.api.answer({ text: "words and then nothing at all", fault: "hang" }, { text: "Here." });
	const { storage } = await openStore(t);
	const { harness, root } = await open(t, world, storage);
	t.after(() => harness.close(context));
	const second = await harness.createConversation(
		{ ownership: { kind: "ownerless" }, agent: { model: { provider: "claude-code", modelId: MODEL } } },
		context,
	);
	await second.configure({ cwd: world.folder }, context);
	await root.submit({ type: "input", content: "first" }, context);
	await until("the first request", () => world.api.requests.length === 1);
	const submission = await second.submit({ type: "input", content: "second" }, context);
	await until("it waits", async () => (await waitOf(harness, second.id))?.reason === "slot");
	assert.equal(world.starts.length, 1);
	await root.abort(context);
	assert.equal((await submission.wait(context)).status, "done");
	assert.equal(await waitOf(harness, second.id), undefined);
});

test("the process that made a summary ends with it, and takes no warm one's place", { skip }, async (t) => {
	const world = await createWorld(t, { warmLimit: () => 1 });
	const { storage } = await openStore(t);
	const { harness, root } = await open(t, world, storage);
	t.after(() => harness.close(context));
	const other = await harness.createConversation(
		{ ownership: { kind: "ownerless" }, agent: { model: { provider: "claude-code", modelId: MODEL } } },
		context,
	);
	await other.configure({ cwd: world.folder }, context);
	const ask = async (conversation: Conversation, content: string) => {
		const submission = await conversation.submit({ type: "input", content }, context);
		assert.equal((await submission.wait(context)).status, "done");
	};
	world.api.answer({ text: "One." }, { text: "Two." }, { text: "Warm." }, { text: "A summary." });
	await ask(root, "first");
	await ask(root, "second");
	await ask(other, "hello");
	assert.equal(world.starts.length, 2);

	const task = await root.compact(undefined, context);
	const { state } = await harness.waitForTask(task, context);
	assert.equal(state.outcome.status, "completed");
	assert.equal(world.starts.length, 3);
	await ask(other, "again");
	assert.equal(world.starts.length, 3, "it was warm still");
});

async function waitOf(harness: Harness, id: ConversationId) {
	return ((await harness.snapshot(LiveDoc, id, context)) as LiveState | undefined)?.generation?.waiting;
}

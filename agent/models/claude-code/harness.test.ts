import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { obj, str } from "@earendil-works/pi-schema";
import { defineTool } from "../../durable/index.ts";
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

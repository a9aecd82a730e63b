import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import { type ConversationId, configure, defineExtension, defineTool } from "../../durable/index.ts";
import { openNodeSqliteStorage } from "../../durable/storage/sqlite/node.ts";
import { createManualClock } from "../../durable/testing/manual-clock.ts";
import { fauxModels, openTestHarness } from "../../durable/testing/open-harness.ts";
import type { Storage } from "../../durable/types/storage.ts";
import { createSpending, type Spending } from "./spending.ts";

const context = BACKGROUND_CONTEXT;
const MORNING = new Date(2026, 2, 30, 9).getTime();
const DAY = 24 * 60 * 60_000;

/** A call that asks a model itself, in a conversation of its own. */
const Delegate = defineExtension({
	name: "delegate",
	tools: [
		defineTool({
			name: "delegate",
			description: "Asks another.",
			parameters: obj({}),
			replay: "safe",
			async execute(_args, api, ctx) {
				const child = await api.commit(async (tx) => {
					const { id } = await tx.createConversation({ ownership: { kind: "task", taskId: api.taskId } });
					await configure(tx, id, { model: { provider: "faux", modelId: "faux-1" } });
					return id;
				}, ctx);
				const asked = await (await api.conversation(child, ctx))!.submit(
					{ type: "input", content: "x" },
					ctx,
				);
				await asked.wait(ctx);
				return { content: [{ type: "text", text: "asked" }] };
			},
		}),
	],
});

async function open(t: TestContext, responses: Parameters<typeof fauxModels>[0], storage?: Storage) {
	const clock = createManualClock(MORNING);
	const spending = createSpending({
		clock,
		projectOf: (root: ConversationId) => (root > 0 ? "/p" : undefined),
	});
	const { harness, root } = await openTestHarness(t, {
		...(storage === undefined ? {} : { storage }),
		models: fauxModels(responses),
		extensions: [Delegate],
		account: spending.account,
		closes: false,
	});
	await spending.follow(harness);
	const ask = async (content: string) => {
		const submission = await root.submit({ type: "input", content }, context);
		await submission.wait(context);
	};
	return { clock, spending, harness, ask };
}

const shape = (spent: ReturnType<Spending["today"]>) =>
	spent.map(({ day, project, model, row }) => [day, project, model, row.runs, row.totalTokens > 0]);

test("what a day spends is kept by project and model, subagents included, and its runs are counted once", async (t) => {
	const { spending, harness, ask } = await open(t, [
		fauxAssistantMessage(fauxToolCall("delegate", {}), { stopReason: "toolUse" }),
		fauxAssistantMessage("The child's."),
		fauxAssistantMessage("Done."),
	]);
	t.after(() => harness.close(context));
	let told = 0;
	spending.subscribe(() => told++);
	await ask("go");
	assert.deepEqual(shape(spending.today()), [["2026-03-30", "/p", "faux/faux-1", 1, true]]);
	assert.ok(told >= 3);
	spending.close();
});

test("days are apart, and a restart knows them without a scan", async (t) => {
	const directory = await mkdtemp(join(tmpdir(), "outlive-spending-"));
	t.after(() => rm(directory, { recursive: true, force: true }));
	const path = join(directory, "store.sqlite");
	const first = await open(
		t,
		[fauxAssistantMessage("One."), fauxAssistantMessage("Two.")],
		await openNodeSqliteStorage(path),
	);
	await first.ask("one");
	let begun = 0;
	first.spending.subscribe(() => begun++);
	await first.clock.advance(DAY);
	assert.equal(begun, 1, "the list is told that a day begins");
	assert.deepEqual(first.spending.today(), []);
	await first.ask("two");
	first.spending.close();
	await first.harness.close(context);

	const second = await open(t, [], await openNodeSqliteStorage(path));
	t.after(() => second.harness.close(context));
	assert.deepEqual(shape(second.spending.today()), [["2026-03-30", "/p", "faux/faux-1", 1, true]]);
	const both = await second.spending.report();
	assert.deepEqual(shape(both), [
		["2026-03-30", "/p", "faux/faux-1", 1, true],
		["2026-03-31", "/p", "faux/faux-1", 1, true],
	]);
	assert.deepEqual(shape(await second.spending.report(MORNING + DAY)), shape(both).slice(1));
	second.spending.close();
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import { context, openTestHarness } from "../testing/open-harness.ts";
import { defineDoc } from "../types/documents.ts";
import type { Account } from "../types/harness.ts";
import type { JsonObject } from "../types/json.ts";
import { defineTool } from "../types/tools.ts";
import { UsageDoc } from "./built-in-documents.ts";

const BooksDoc = defineDoc<{ entries: number } & JsonObject>({
	kind: "test.books",
	version: 1,
	scope: "session",
	initial: () => ({ entries: 0 }),
});

const look = defineTool({
	name: "look",
	description: "Looks.",
	parameters: obj({}),
	execute: async () => ({ content: [{ type: "text", text: "seen" }], usage: spentBy(7) }),
});

function spentBy(total: number) {
	const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total };
	return { input: total, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: total, cost };
}

test("the host is told of every spending and every ended run, inside their commits", async (t) => {
	const accounts: Account[] = [];
	const { harness, root } = await openTestHarness(t, {
		tools: [look],
		responses: [
			fauxAssistantMessage(fauxToolCall("look", {}), { stopReason: "toolUse" }),
			fauxAssistantMessage("Done."),
		],
		async account(tx, account) {
			accounts.push(account);
			(await tx.doc(BooksDoc)).entries += account.spent.length;
		},
	});
	const submission = await root.submit({ type: "input", content: "go" }, context);
	await submission.wait(context);
	assert.deepEqual(
		accounts.map(({ spent, ended }) => [spent.map(({ on }) => on), ended.length]),
		[
			[["faux/faux-1"], 0],
			[["tool/look"], 0],
			[["faux/faux-1"], 1],
		],
	);
	const [{ conversationId, root: top, run }] = accounts.at(-1)!.ended as [Account["ended"][number]];
	assert.deepEqual([conversationId, top, run], [root.id, root.id, submission.id]);
	const usage = await harness.snapshot(UsageDoc, root.id, context);
	const told = accounts.flatMap(({ spent }) => spent);
	const sum = told
		.filter(({ on }) => on === "faux/faux-1")
		.reduce((all, each) => all + each.usage.totalTokens, 0);
	assert.equal(sum, usage?.models["faux/faux-1"]?.totalTokens);
	assert.equal((await harness.snapshot(BooksDoc, context))?.entries, 3);
});

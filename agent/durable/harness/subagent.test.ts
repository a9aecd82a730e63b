import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { fauxToolCall } from "@earendil-works/pi-ai";
import { obj, str } from "@earendil-works/pi-schema";
import { context, openTestHarness } from "../testing/open-harness.ts";
import { createSteeredModel } from "../testing/steered-model.ts";
import { openStore } from "../testing/stores.ts";
import { resultsIn, textOf } from "../testing/tool-calls.ts";
import { until } from "../testing/until.ts";
import type { Extension } from "../types/extensions.ts";
import type { ConversationId } from "../types/ids.ts";
import type { Storage } from "../types/storage.ts";
import { defineTool } from "../types/tools.ts";
import { configure } from "./configure.ts";
import { defineExtension } from "./registry.ts";

/** The subagent of Pi Durable's README: a child conversation that the call owns. */
const Subagent: Extension = defineExtension({
	name: "subagent",
	tools: [
		defineTool({
			name: "subagent",
			description: "Delegate a self-contained task to a subagent and get its answer back.",
			parameters: obj({ task: str() }),
			replay: "safe",
			execute: async (args, api, ctx) => {
				const child = await api.commit(async (tx) => {
					const existing = (await tx.scanConversations({ ownerTaskId: api.taskId }, 1)).items[0];
					if (existing !== undefined) return existing.id;
					const created = await tx.createConversation({ ownership: { kind: "task", taskId: api.taskId } });
					await configure(tx, created.id, { extensions: { remove: [Subagent] } });
					return created.id;
				}, ctx);
				await api.details({ conversationId: child }, ctx);
				const request = { type: "input", content: args.task, requestId: `subagent:${api.taskId}` } as const;
				const settled = await (await (await api.conversation(child, ctx))!.submit(request, ctx)).wait(ctx);
				if (settled.status !== "done")
					throw new Error(`The subagent ended ${settled.status}: ${settled.reason}`);
				return { content: [{ type: "text", text: settled.status }] };
			},
		}),
	],
});

async function open(t: TestContext, storage?: Storage, closes = true) {
	const model = createSteeredModel();
	const options = { models: model.models, model: model.ref, extensions: [Subagent], closes };
	const harness = await openTestHarness(t, storage === undefined ? options : { ...options, storage });
	return { ...harness, model };
}

async function delegate({ root, model }: Awaited<ReturnType<typeof open>>) {
	const submission = await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).answer(fauxToolCall("subagent", { task: "look it up" }));
	const inner = await model.request(1);
	const details = await until("the call names its child", async () => {
		const live = (await root.viewState(context)).value.docs["pi.live"] as {
			tools?: { details?: { conversationId: ConversationId } }[];
		};
		return live.tools?.[0]?.details;
	});
	return { submission, inner, childId: details.conversationId };
}

test("a subagent starts with its owner's agent, answers its call, and is part of the owner's work", async (t) => {
	const opened = await open(t);
	const { submission, inner, childId } = await delegate(opened);
	assert.deepEqual(
		inner.messages.filter(({ role }) => role === "user").map(({ content }) => content),
		["look it up"],
	);
	const child = (await opened.harness.conversation(childId, context))!;
	assert.deepEqual((await child.agent(context)).model, opened.model.ref);
	assert.deepEqual((await child.agent(context)).tools, []);
	let idle = false;
	void opened.root.waitForIdle(context).then(() => {
		idle = true;
	});
	inner.answer("found it");
	const outer = await opened.model.request(2);
	assert.equal(textOf(resultsIn(outer.messages)[0]), "done");
	assert.equal(idle, false);
	outer.answer("so it is");
	assert.equal((await submission.wait(context)).status, "done");
	await until("idle", () => idle);
});

test("stopping the parent stops the subagent first, and takes its queued messages back", async (t) => {
	const opened = await open(t);
	const { inner, childId } = await delegate(opened);
	const child = (await opened.harness.conversation(childId, context))!;
	const queued = await child.submit({ type: "input", content: "and more" }, context);
	await opened.root.abort(context);
	assert.equal(inner.options.signal?.aborted, true);
	assert.equal((await queued.wait(context)).reason, "aborted");
	await child.waitForIdle(context);
	const again = await child.submit({ type: "input", content: "still there?" }, context);
	(await opened.model.request(2)).answer("yes");
	assert.equal((await again.wait(context)).status, "done", "it can be talked to after its owner has ended");
});

test("a subagent whose process ended goes on in the next: same child, same message, one answer", async (t) => {
	const { storage, reopen } = await openStore(t);
	const first = await open(t, storage, false);
	const { submission, childId } = await delegate(first);
	await first.harness.close(context);
	const next = await open(t, await reopen());
	next.harness.resume();
	(await next.model.request(0)).answer("found it");
	(await next.model.request(1)).answer("so it is");
	const settled = await (await next.harness.submission(submission.id, context))!.wait(context);
	assert.equal(settled.status, "done");
	const { items } = await next.harness.conversations({}, 10, undefined, context);
	assert.deepEqual(items.map(({ id }) => id).sort(), [next.root.id, childId].sort());
	const child = (await next.harness.conversation(childId, context))!;
	const entries = (await child.entries({ order: "ascending" }, 20, undefined, context)).items;
	assert.deepEqual(
		entries.map(({ kind }) => kind),
		["pi.user", "pi.assistant"],
	);
});

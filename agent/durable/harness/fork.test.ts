import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Message } from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import { context, openTestHarness, type TestHarnessOptions } from "../testing/open-harness.ts";
import type { SteeredRequest } from "../testing/steered-model.ts";
import { createSteeredModel } from "../testing/steered-model.ts";
import { openStore } from "../testing/stores.ts";
import { openWithTools, resultsIn, textOf } from "../testing/tool-calls.ts";
import { until } from "../testing/until.ts";
import type { Conversation } from "../types/harness.ts";
import type { ConversationId, EntryId } from "../types/ids.ts";
import type { LiveState } from "../types/live.ts";
import { defineTool } from "../types/tools.ts";
import { AgentDoc, InboxDoc, LiveDoc, ProviderDoc, UsageDoc } from "./built-in-documents.ts";

const OWNERLESS = { ownership: { kind: "ownerless" } } as const;

async function open(t: TestContext, options: TestHarnessOptions = {}) {
	const model = createSteeredModel();
	return { ...(await openTestHarness(t, { models: model.models, model: model.ref, ...options })), model };
}

const user = (content: string): Message => ({ role: "user", content, timestamp: 0 });

/** Appends what a person might have said, without asking a model. */
async function say(conversation: Conversation, content: string, more: object = {}): Promise<EntryId> {
	const entry = { kind: "test.said", model: [user(content)], ...more };
	return (await conversation.commit((tx) => tx.appendEntry(conversation.id, entry), context)).id;
}

/** What the model of a conversation is shown, one word a message. */
function words(messages: readonly Message[]): string[] {
	return messages
		.filter(({ role }) => role !== "system")
		.map((message) => {
			if (message.role === "user") return String(message.content);
			if (message.role === "toolResult")
				return `${message.isError ? "missing" : "result"} ${message.toolCallId}`;
			const parts = (message as Extract<Message, { role: "assistant" }>).content;
			return parts.map((part) => (part.type === "toolCall" ? `call ${part.id}` : "text")).join("+");
		});
}

const seen = async (conversation: Conversation) => words((await conversation.context(context)).messages);

async function transcriptOf(conversation: Conversation) {
	return (await conversation.entries({ order: "ascending" }, 500, undefined, context)).items;
}

async function answered(
	conversation: Conversation,
	request: Promise<SteeredRequest>,
	content: string,
	answer: string,
) {
	const submission = await conversation.submit({ type: "input", content }, context);
	(await request).answer(answer);
	await submission.wait(context);
	return (await transcriptOf(conversation)).at(-1)!.id;
}

test("a fork sees its parent's entries up to the fork point without copying them, and goes on by itself", async (t) => {
	const { harness, root, model } = await open(t);
	const at = await answered(root, model.request(0), "one", "1");
	await answered(root, model.request(1), "two", "2");
	const stored: unknown[] = [];
	harness.subscribeCommits(({ entries }) => void stored.push(...entries));
	const fork = await root.fork(at, OWNERLESS, context);
	assert.deepEqual(stored, [], "no entry is stored for it");
	const before = await transcriptOf(root);
	assert.deepEqual(
		await transcriptOf(fork),
		before.filter(({ id }) => id <= at),
	);
	await answered(fork, model.request(2), "three", "3");
	assert.deepEqual(words((await model.request(2)).messages), ["one", "text", "three"]);
	assert.deepEqual(await transcriptOf(root), before, "nothing of it reaches the parent");
	await answered(root, model.request(3), "four", "4");
	assert.deepEqual(
		await seen(fork),
		["one", "text", "three", "text"],
		"and nothing later of the parent reaches it",
	);
	const record = (await fork.watch(context)).value.conversation;
	assert.deepEqual(record, { id: fork.id, parent: { conversationId: root.id, at } });
});

test("a fork starts with the agent its parent had at the entry; the caller's changes come on top, in the same commit", async (t) => {
	const { harness, root } = await open(t);
	await root.configure({ instructions: "then", cwd: "/then" }, context);
	const at = await say(root, "one");
	await root.configure({ instructions: "now", cwd: "/now", thinkingLevel: "high" }, context);
	const plain = await (await root.fork(at, OWNERLESS, context)).agent(context);
	assert.deepEqual([plain.instructions, plain.cwd, plain.thinkingLevel], ["then", "/then", "off"]);
	assert.deepEqual(plain.model, { provider: "steered", modelId: "steered-1" });
	let commits = 0;
	harness.subscribeCommits(() => void commits++);
	const changed = await root.fork(
		at,
		{
			...OWNERLESS,
			agent: { instructions: "mine" },
			init: async (tx, id) => {
				assert.equal((await tx.doc(AgentDoc, id)).instructions, "mine", "the change comes before init");
				await tx.appendEntry(id, { kind: "test.first", model: [user("first")] });
			},
		},
		context,
	);
	assert.equal(commits, 1);
	const agent = await changed.agent(context);
	assert.deepEqual([agent.instructions, agent.cwd], ["mine", "/then"]);
	assert.deepEqual(await seen(changed), ["one", "first"]);
	assert.equal((await root.agent(context)).instructions, "now");
});

test("a fork has a provider identity, spend, an inbox and a run of its own", async (t) => {
	const { harness, root, model } = await open(t);
	const at = await answered(root, model.request(0), "one", "1");
	const busy = await root.submit({ type: "input", content: "two" }, context);
	const open1 = await model.request(1);
	await root.submit({ type: "input", content: "queued" }, context);
	const fork = await root.fork(at, OWNERLESS, context);
	const read = async (id: ConversationId) => ({
		live: await harness.snapshot(LiveDoc, id, context),
		inbox: (await harness.snapshot(InboxDoc, id, context))?.items,
		usage: Object.keys(((await harness.snapshot(UsageDoc, id, context)) as { models: object }).models),
		provider: (await harness.snapshot(ProviderDoc, id, context))?.sessionId,
	});
	const [parent, child] = [await read(root.id), await read(fork.id)];
	assert.deepEqual([child.live, child.inbox, child.usage], [{}, [], []]);
	assert.equal(parent.usage.length, 1);
	assert.match(String(child.provider), /^[0-9a-f-]{36}$/);
	assert.notEqual(child.provider, parent.provider);
	const forked = await fork.submit({ type: "input", content: "here" }, context);
	const request = await model.request(2);
	assert.equal(request.options.sessionId, child.provider);
	assert.equal(open1.options.sessionId, parent.provider);
	request.answer("3");
	await forked.wait(context);
	assert.equal((await busy.status(context)).status, "placed", "the parent's run goes on");
	open1.answer("2");
	await busy.wait(context);
	(await model.request(3)).answer("queued");
	await harness.waitForIdle(context);
	const total = await harness.usage(context);
	assert.equal(Object.keys(total.models).length, 1);
});

test("forks of forks, also at entries they inherit, survive a reopened store", async (t) => {
	const { storage, reopen } = await openStore(t);
	const { harness, root } = await open(t, { storage, closes: false });
	const ids = [await say(root, "a"), await say(root, "b"), await say(root, "c")];
	const child = await root.fork(ids[1]!, OWNERLESS, context);
	const own = await say(child, "d");
	const grandchild = await child.fork(own, OWNERLESS, context);
	await say(grandchild, "e");
	const older = await child.fork(ids[0]!, OWNERLESS, context);
	await say(older, "f");
	const expected = [
		["a", "b", "c"],
		["a", "b", "d"],
		["a", "b", "d", "e"],
		["a", "f"],
	];
	const all = [root, child, grandchild, older];
	assert.deepEqual(await Promise.all(all.map(seen)), expected);
	await harness.close(context);
	const next = await open(t, { storage: await reopen() });
	const again = await Promise.all(all.map(async ({ id }) => (await next.harness.conversation(id, context))!));
	assert.deepEqual(await Promise.all(again.map(seen)), expected);
	const { items } = await next.harness.conversations({}, 10, undefined, context);
	assert.deepEqual(items, [
		{ id: root.id },
		{ id: child.id, parent: { conversationId: root.id, at: ids[1] } },
		{ id: grandchild.id, parent: { conversationId: child.id, at: own } },
		{ id: older.id, parent: { conversationId: child.id, at: ids[0] } },
	]);
});

const slow = () => {
	const gate = Promise.withResolvers<void>();
	const tool = defineTool({
		name: "slow",
		description: "Waits for the test.",
		parameters: obj({}),
		execute: async () => {
			await gate.promise;
			return { content: [{ type: "text", text: "slow" }] };
		},
	});
	return { tool, go: gate.resolve };
};
const quick = defineTool({
	name: "quick",
	description: "Is done at once.",
	parameters: obj({}),
	execute: async () => ({ content: [{ type: "text", text: "quick" }] }),
});

test("a fork in the middle of a round hands each call exactly one result, while the parent's run goes on", async (t) => {
	const { tool, go } = slow();
	const { root, harness, model, call, next } = await openWithTools(t, [tool, quick]);
	const submission = await call({ name: "slow" }, { name: "quick" });
	const entries = await until("the quick call has its result", async () => {
		const all = await transcriptOf(root);
		return all.some(({ kind }) => kind === "pi.tool-result") ? all : undefined;
	});
	for (const [kind, expected] of [
		["pi.user", ["go", "on"]],
		["pi.assistant", ["go", "call call-1+call call-2", "missing call-1", "missing call-2", "on"]],
		["pi.tool-result", ["go", "call call-1+call call-2", "missing call-1", "result call-2", "on"]],
	] as const) {
		const fork = await root.fork(entries.find((entry) => entry.kind === kind)!.id, OWNERLESS, context);
		assert.deepEqual(await harness.snapshot(LiveDoc, fork.id, context), {});
		const input = await fork.submit({ type: "input", content: "on" }, context);
		const request = await next();
		assert.deepEqual(words(request.messages), expected, kind);
		for (const result of resultsIn(request.messages).filter(({ isError }) => isError))
			assert.match(textOf(result), /no recorded result/);
		request.answer("done");
		assert.equal((await input.wait(context)).status, "done");
	}
	const live = (await harness.snapshot(LiveDoc, root.id, context)) as LiveState;
	assert.deepEqual(
		live.tools?.map(({ status }) => status),
		["running", "done"],
	);
	go();
	const last = await next();
	assert.deepEqual(words(last.messages), ["go", "call call-1+call call-2", "result call-1", "result call-2"]);
	last.answer("over");
	assert.equal((await submission.wait(context)).status, "done");
	assert.equal(model.requests.length, 5);
});

test("a fork before a reset or a summary sees what they cut off; one at or after them does not", async (t) => {
	const { root } = await open(t);
	const one = await say(root, "one");
	const two = await say(root, "two");
	await root.reset("note", context);
	const reset = (await transcriptOf(root)).at(-1)!.id;
	const three = await say(root, "three");
	const summary = await say(root, "summary", { kind: "test.summary", head: three });
	const after = await say(root, "four");
	const at = async (entry: EntryId) => seen(await root.fork(entry, OWNERLESS, context));
	assert.deepEqual(await at(one), ["one"]);
	assert.deepEqual(await at(two), ["one", "two"]);
	assert.deepEqual(await at(reset), ["note"]);
	assert.deepEqual(await at(three), ["note", "three"]);
	assert.deepEqual(await at(summary), ["summary", "three"]);
	assert.deepEqual(await at(after), ["summary", "three", "four"]);
	const fork = await root.fork(two, OWNERLESS, context);
	await fork.reset("elsewhere", context);
	await say(fork, "five");
	assert.deepEqual(await seen(fork), ["elsewhere", "five"]);
	assert.deepEqual(await seen(root), ["summary", "three", "four"]);
});

test("an edit in a fork changes what its model sees of an inherited entry, and nothing in the parent", async (t) => {
	const { root } = await open(t);
	const one = await say(root, "one");
	const two = await say(root, "two");
	const fork = await root.fork(two, OWNERLESS, context);
	await say(fork, "edit", {
		model: [],
		edits: [{ target: one, action: "replace", messages: [user("ONE")] }],
	});
	await say(root, "edit", { model: [], edits: [{ target: two, action: "omit" }] });
	assert.deepEqual(await seen(fork), ["ONE", "two"]);
	assert.deepEqual(await seen(root), ["one"]);
	assert.deepEqual((await transcriptOf(fork))[0]?.model, [user("one")], "the entry itself stays as it is");
});

test("the context as of an entry is what a fork at that entry starts with, whatever the entry", async (t) => {
	const { root, call, next } = await openWithTools(t, [quick]);
	const first = await call({ name: "quick" }, { name: "quick" });
	(await next()).answer("1");
	await first.wait(context);
	const said = await say(root, "said");
	await say(root, "edit", { model: [], edits: [{ target: said, action: "omit" }] });
	await root.reset("note", context);
	const second = await call({ name: "quick" });
	(await next()).answer("2");
	await second.wait(context);
	const kept = await say(root, "kept");
	await say(root, "summary", { head: kept });
	await say(root, "last");
	const entries = await transcriptOf(root);
	assert.ok(entries.length > 12);
	for (const { id, kind } of entries) {
		const asOf = await root.context(context, { at: id });
		const fork = await root.fork(id, OWNERLESS, context);
		const now = await fork.context(context);
		assert.deepEqual(now.messages, asOf.messages, `${id} ${kind}`);
		assert.deepEqual(now.entries, asOf.entries, `${id} ${kind}`);
		assert.equal(now.head?.id, asOf.head?.id);
	}
});

test("a fork may belong to a task: it keeps its parent's agent, and stops with its owner", async (t) => {
	const started = Promise.withResolvers<ConversationId>();
	const forks = defineTool({
		name: "forks",
		description: "Asks a fork of its own conversation.",
		parameters: obj({}),
		replay: "safe",
		execute: async (_args, api, ctx) => {
			const id = await api.commit(async (tx) => {
				const at = (await tx.scanEntries({ conversationId: api.conversationId }, 1)).items[0]!.id;
				const ownership = { kind: "task", taskId: api.taskId } as const;
				return (await tx.forkConversation(api.conversationId, at, { ownership })).id;
			}, ctx);
			started.resolve(id);
			const fork = (await api.conversation(id, ctx))!;
			await (await fork.submit({ type: "input", content: "aside" }, ctx)).wait(ctx);
			return {};
		},
	});
	const { harness, root, call, next, model } = await openWithTools(t, [forks]);
	await root.configure({ instructions: "inherited" }, context);
	const submission = await call({ name: "forks" });
	const id = await started.promise;
	const request = await next();
	assert.deepEqual(words(request.messages), ["go", "call call-1", "missing call-1", "aside"]);
	assert.equal((await harness.snapshot(AgentDoc, id, context))?.instructions, "inherited");
	const record = (await (await harness.conversation(id, context))!.watch(context)).value.conversation;
	assert.equal(record.parent?.conversationId, root.id);
	assert.equal(record.owner?.conversationId, root.id);
	await root.abort(context);
	assert.equal((await submission.wait(context)).status, "unanswered");
	assert.deepEqual(await harness.snapshot(LiveDoc, id, context), {}, "its run was stopped with the call");

	const fork = (await harness.conversation(id, context))!;
	const own = await answered(fork, model.request(2), "later", "yes");
	const free = await fork.fork(own, OWNERLESS, context);
	assert.deepEqual((await seen(free)).slice(-2), ["later", "text"]);
	assert.equal((await free.agent(context)).instructions, "inherited");
	assert.equal((await free.watch(context)).value.conversation.owner, undefined, "ownership is not inherited");
});

test("only an entry that the conversation shows can be forked at, and a fork that fails stores nothing", async (t) => {
	const { harness, root } = await open(t);
	const one = await say(root, "one");
	const child = await root.fork(one, OWNERLESS, context);
	const later = await say(root, "later");
	const own = await say(child, "own");
	const count = async () => (await harness.conversations({}, 100, undefined, context)).items.length;
	const before = await count();
	for (const [conversation, at] of [
		[root, own],
		[child, later],
		[root, 9_999_999 as EntryId],
	] as const) {
		await assert.rejects(conversation.fork(at, OWNERLESS, context), /isn't part of conversation/);
		await assert.rejects(conversation.context(context, { at }), /isn't part of conversation/);
	}
	const failing = { ...OWNERLESS, init: () => Promise.reject(new Error("no")) };
	await assert.rejects(root.fork(one, failing, context), /^Error: no$/);
	const task = { ownership: { kind: "task", taskId: 9_999_999 as never } } as const;
	await assert.rejects(root.fork(one, task, context), /there is no such task/);
	await assert.rejects(
		harness.commit(async (tx) => {
			const { id } = await tx.appendEntry(root.id, { kind: "test.note" });
			return tx.forkConversation(root.id, id, OWNERLESS);
		}, context),
		/isn't part of conversation/,
		"an entry of the same commit is not yet one",
	);
	assert.equal(await count(), before);
});

test("a view of a fork shows what it inherits, and follows what it adds and nothing else", async (t) => {
	const { root } = await open(t);
	const one = await say(root, "one");
	await say(root, "two");
	const fork = await root.fork(one, OWNERLESS, context);
	const view = await fork.viewState(context);
	t.after(() => view.dispose());
	await say(root, "three");
	const own = await say(fork, "own");
	assert.deepEqual(
		view.value.entries.map(({ id, conversationId }) => [id, conversationId]),
		[
			[one, root.id],
			[own, fork.id],
		],
	);
	assert.equal(view.value.docs["pi.agent"] === undefined, false);
});

test("a host's creation hook hears of a fork with its parent, in the same commit", async (t) => {
	const made: unknown[] = [];
	const { root } = await open(t, { conversationCreated: (_tx, record) => void made.push(record) });
	const at = await say(root, "one");
	const fork = await root.fork(at, OWNERLESS, context);
	assert.deepEqual(made, [{ id: root.id }, { id: fork.id, parent: { conversationId: root.id, at } }]);
});

test("of many forks made at once from a running conversation each is whole", async (t) => {
	const { harness, root, model } = await open(t);
	const at = await answered(root, model.request(0), "one", "1");
	const running = await root.submit({ type: "input", content: "two" }, context);
	const request = await model.request(1);
	request.say("so far");
	const forks = await Promise.all(Array.from({ length: 20 }, () => root.fork(at, OWNERLESS, context)));
	request.answer("2");
	await running.wait(context);
	const identities = new Set<string>();
	for (const fork of forks) {
		assert.deepEqual(await seen(fork), ["one", "text"]);
		identities.add((await harness.snapshot(ProviderDoc, fork.id, context))!.sessionId);
	}
	assert.equal(identities.size, forks.length);
	await answered(forks[7]!, model.request(2), "here", "yes");
	assert.deepEqual(await seen(forks[7]!), ["one", "text", "here", "text"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { fauxAssistantMessage, fauxToolCall, type Message } from "@earendil-works/pi-ai";
import { MemoryStorage } from "../storage/memory.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { context, openTestHarness } from "../testing/open-harness.ts";
import { createSteeredModel } from "../testing/steered-model.ts";
import type { EntryRecord } from "../types/entries.ts";
import type { EntryId } from "../types/ids.ts";
import { deriveContext } from "./context-derivation.ts";

let nextId = 1;
function entry(model: readonly Message[] | undefined, more: Partial<EntryRecord> = {}): EntryRecord {
	const id = nextId++ as EntryId;
	return {
		id,
		conversationId: 1 as never,
		kind: "test",
		at: 0,
		...(model === undefined ? {} : { model }),
		...more,
	};
}
const user = (content: string): Message => ({ role: "user", content, timestamp: 0 });
const system = (text: string): Message => ({
	role: "system",
	content: "",
	sections: { s: text },
	timestamp: 0,
});
const calls = (...ids: string[]): Message =>
	fauxAssistantMessage(
		ids.map((id) => fauxToolCall("work", {}, { id })),
		{ stopReason: "toolUse", timestamp: 0 },
	);
const result = (toolCallId: string): Message => ({
	role: "toolResult",
	toolCallId,
	toolName: "work",
	content: [],
	isError: false,
	timestamp: 0,
});

/** Messages as one word each. */
function words(messages: readonly Message[]): string[] {
	return messages.map((message) => {
		if (message.role === "user") return String(message.content);
		if (message.role === "toolResult")
			return `${message.isError ? "missing" : "result"} ${message.toolCallId}`;
		if (message.role === "system") return "system";
		return message.stopReason;
	});
}

test("results follow their call in call order, whatever came in between", () => {
	const range = [
		entry([user("go")]),
		entry([calls("a", "b")]),
		entry([user("steer")]),
		entry([result("b")]),
		entry([result("a")]),
	];
	assert.deepEqual(words(deriveContext(undefined, range).messages), [
		"go",
		"toolUse",
		"result a",
		"result b",
		"steer",
	]);
});

test("a call without a result gets one that says so, and a result without a call is left out", () => {
	const range = [entry([user("go")]), entry([result("stray")]), entry([calls("a")]), entry([user("on")])];
	assert.deepEqual(words(deriveContext(undefined, range).messages), ["go", "toolUse", "missing a", "on"]);
});

test("failed attempts stay where they were, and their calls ask for no result", () => {
	const failed = { ...(calls("x") as ReturnType<typeof fauxAssistantMessage>), stopReason: "error" as const };
	const range = [entry([user("go")]), entry([calls("a")]), entry([failed]), entry([result("a")])];
	assert.deepEqual(words(deriveContext(undefined, range).messages), ["go", "toolUse", "result a", "error"]);
});

test("a system message that only messages of people precede comes first", () => {
	const range = [entry([user("go")]), entry([user("and")]), entry([system("p")])];
	const view = deriveContext(undefined, range);
	assert.deepEqual(words(view.messages), ["system", "go", "and"]);
	assert.deepEqual(
		view.contributions.flat().map(({ role }) => role),
		["user", "user", "system"],
		"entries keep their order",
	);
});

test("the newest edit of an entry decides what the model sees of it", () => {
	const target = entry([user("secret")]);
	const range = [
		target,
		entry(undefined, { edits: [{ target: target.id, action: "replace", messages: [user("redacted")] }] }),
		entry([user("next")]),
	];
	assert.deepEqual(words(deriveContext(undefined, range).messages), ["redacted", "next"]);
	range.push(entry(undefined, { edits: [{ target: target.id, action: "omit" }] }));
	assert.deepEqual(words(deriveContext(undefined, range).messages), ["next"]);
});

test("an edit may put several messages in an entry's place, and may come with a head", () => {
	const target = entry([user("long")]);
	const edits = [{ target: target.id, action: "replace", messages: [user("a"), user("b")] }] as const;
	const head = entry([user("summary")], { head: target.id, edits });
	const { messages, contributions, entries } = deriveContext(head, [target, head, entry([user("new")])]);
	assert.deepEqual(words(messages), ["summary", "a", "b", "new"]);
	assert.deepEqual(contributions.map(words), [["summary"], ["a", "b"], ["new"]]);
	assert.deepEqual(entries[1]?.model, [user("long")], "the entry itself stays as it is");
});

test("an edited call and its results stay one to one", () => {
	const calling = entry([calls("a", "b")]);
	const [first, second] = [entry([result("a")]), entry([result("b")])];
	const range = [entry([user("go")]), calling, first, second, entry([user("on")])];
	const edited = (target: EntryId, more: object) =>
		words(
			deriveContext(undefined, [...range, entry(undefined, { edits: [{ target, ...more } as never] })])
				.messages,
		);
	assert.deepEqual(edited(calling.id, { action: "omit" }), ["go", "on"]);
	assert.deepEqual(edited(second.id, { action: "omit" }), ["go", "toolUse", "result a", "missing b", "on"]);
	assert.deepEqual(edited(calling.id, { action: "replace", messages: [calls("b")] }), [
		"go",
		"toolUse",
		"result b",
		"on",
	]);
});

test("an edit is a write like any other: it waits for the turn, and counts from its place in the transcript on", async (t) => {
	const model = createSteeredModel();
	const { root } = await openTestHarness(t, { models: model.models, model: model.ref });
	const secret = await root.commit(
		(tx) => tx.appendEntry(root.id, { kind: "test", model: [user("secret")] }),
		context,
	);
	const run = await root.submit({ type: "input", content: "go" }, context);
	const request = await model.request(0);
	const edit = { kind: "test.edit", edits: [{ target: secret.id, action: "omit" }] } as const;
	const write = await root.submit({ type: "write", entry: edit }, context);
	assert.deepEqual(
		words((await root.context(context)).messages).filter((word) => word !== "system"),
		["secret", "go"],
	);
	request.answer("done");
	await run.wait(context);
	const settled = await write.wait(context);
	assert.equal(settled.status, "done");
	assert.deepEqual(
		words((await root.context(context)).messages).filter((word) => word !== "system"),
		["go", "stop"],
	);
	const earlier = await root.context(context, { at: secret.id });
	assert.deepEqual(words(earlier.messages), ["secret"], "before it, it doesn't count");
	await root.reset(undefined, context);
	await root.commit((tx) => tx.appendEntry(root.id, { kind: "test", model: [user("new")] }), context);
	assert.deepEqual(words((await root.context(context)).messages), ["new"]);
});

test("a head leads, and older heads in its range count no more", () => {
	const kept = entry([user("kept")]);
	const older = entry([user("older head")], { head: kept.id });
	const head = entry([user("summary")], { head: kept.id });
	const range = [kept, older, head, entry([user("new")])];
	assert.deepEqual(words(deriveContext(head, range).messages), ["summary", "kept", "new"]);
});

test("a conversation's context can be read as of any of its entries", async (t) => {
	const { root } = await openTestHarness(t);
	const ids: EntryId[] = [];
	for (const text of ["one", "two", "three"])
		ids.push(
			(await root.commit((tx) => tx.appendEntry(root.id, { kind: "test", model: [user(text)] }), context)).id,
		);
	await root.reset("fresh", context);
	assert.deepEqual(words((await root.context(context)).messages), ["fresh"]);
	assert.deepEqual(words((await root.context(context, { at: ids[1]! })).messages), ["one", "two"]);
	assert.deepEqual(words((await root.context(context, { at: ids[0]! })).messages), ["one"]);
	assert.deepEqual(words((await root.context(context)).messages), ["fresh"]);
	await root.commit((tx) => tx.appendEntry(root.id, { kind: "test", model: [user("four")] }), context);
	assert.deepEqual(words((await root.context(context)).messages), ["fresh", "four"]);
});

test("the next request of a run reads only what came since; an idle conversation's context is let go", async (t) => {
	let read = 0;
	const inner = new MemoryStorage();
	const storage = new Proxy(inner, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name, target);
			if (name !== "scanEntries") return typeof member === "function" ? member.bind(target) : member;
			return async (...args: Parameters<MemoryStorage["scanEntries"]>) => {
				const page = await target.scanEntries(...args);
				if (args[0].order === "ascending") read += page.items.length;
				return page;
			};
		},
	});
	const clock = createManualClock();
	const model = createSteeredModel();
	const { root } = await openTestHarness(t, { storage, clock, models: model.models, model: model.ref });
	await root.commit(async (tx) => {
		for (let n = 0; n < 300; n++) await tx.appendEntry(root.id, { kind: "test", model: [user(`n${n}`)] });
	}, context);
	const turn = async (index: number) => {
		read = 0;
		await root.submit({ type: "input", content: "go" }, context);
		(await model.request(index)).answer("ok");
		await root.waitForIdle(context);
		return read;
	};
	assert.ok((await turn(0)) >= 300);
	assert.ok((await turn(1)) < 10, "only what came since");
	await clock.advance(600_001);
	assert.ok((await turn(2)) >= 300, "read again after ten idle minutes");
});

test("however many conversations are read, the contexts of only the last few stay in memory", async (t) => {
	let read = 0;
	const inner = new MemoryStorage();
	const storage = new Proxy(inner, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name, target);
			if (name !== "scanEntries") return typeof member === "function" ? member.bind(target) : member;
			return async (...args: Parameters<MemoryStorage["scanEntries"]>) => {
				const page = await target.scanEntries(...args);
				if (args[0].order === "ascending") read += page.items.length;
				return page;
			};
		},
	});
	const { harness } = await openTestHarness(t, { storage });
	const conversations = [];
	for (let n = 0; n < 40; n++) {
		const conversation = await harness.createConversation({ ownership: { kind: "ownerless" } }, context);
		await conversation.commit(
			(tx) => tx.appendEntry(conversation.id, { kind: "test", model: [user("x")] }),
			context,
		);
		conversations.push(conversation);
	}
	for (const conversation of conversations) await conversation.context(context);
	read = 0;
	await conversations.at(-1)!.context(context);
	assert.equal(read, 0, "one of the last is still there");
	await conversations[0]!.context(context);
	assert.equal(read, 1, "the first was let go");
});

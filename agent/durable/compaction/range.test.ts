import assert from "node:assert/strict";
import { test } from "node:test";
import { fauxAssistantMessage, fauxToolCall, type Message } from "@earendil-works/pi-ai";
import { deriveContext } from "../harness/context-derivation.ts";
import { long } from "../testing/talk.ts";
import type { EntryRecord } from "../types/entries.ts";
import type { EntryId } from "../types/ids.ts";
import type { CompactionReason } from "../types/live.ts";
import { rangeThatKeeps, selectRange } from "./range.ts";

const user = (text: string): Message => ({ role: "user", content: text, timestamp: 0 });
const says = (text: string): Message => fauxAssistantMessage(text, { timestamp: 0 });
const calls = (...ids: string[]): Message =>
	fauxAssistantMessage(
		ids.map((id) => fauxToolCall("read", { path: "a.txt" }, { id })),
		{ stopReason: "toolUse", timestamp: 0 },
	);
const result = (toolCallId: string, tokens: number): Message => ({
	role: "toolResult",
	toolCallId,
	toolName: "read",
	content: [{ type: "text", text: long(toolCallId, tokens) }],
	isError: false,
	timestamp: 0,
});
const failed: Message = fauxAssistantMessage(long("half", 500), { stopReason: "error", timestamp: 0 });
const system: Message = { role: "system", content: "", sections: { s: long("s", 500) }, timestamp: 0 };

/** Entries 1, 2, 3 … with one message each; undefined is an entry that no model sees. */
function view(messages: readonly (Message | undefined)[], head?: EntryRecord) {
	const range = messages.map((message, index) => entry(index + 1, message));
	return deriveContext(head, head === undefined ? range : [...range, head]);
}

function entry(id: number, message: Message | undefined, more: Partial<EntryRecord> = {}): EntryRecord {
	const model = message === undefined ? {} : { model: [message] };
	return { id: id as EntryId, conversationId: 1 as never, kind: "test", at: 0, ...model, ...more };
}

function cut(
	messages: readonly (Message | undefined)[],
	keep: number,
	reason: CompactionReason = "threshold",
): { from: number; covers: number[] } | undefined {
	const range = selectRange(view(messages), keep, reason);
	return range && { from: range.firstKept, covers: range.entries.map(({ id }) => id) };
}

test("the newest entries that reach what is kept stay, from the first message of a person or the model on", () => {
	const messages = [user("go"), calls("a"), result("a", 300), says("found"), user("on"), says("done")];
	assert.deepEqual(cut(messages, 200), { from: 4, covers: [1, 2, 3] });
});

test("no cut comes between a call and its result, also not with what was said meanwhile", () => {
	const messages = [user("go"), calls("a", "b"), result("a", 50), user("steer"), result("b", 300)];
	assert.deepEqual(cut(messages, 200), { from: 2, covers: [1] });
	const and = [...messages, says(long("more", 100))];
	assert.deepEqual(cut(and, 100), { from: 6, covers: [1, 2, 3, 4, 5] });
});

test("a failed attempt and an entry that no model sees are no place to cut, and weigh nothing", () => {
	const messages = [user("one"), says(long("two", 100)), failed, undefined, user("last")];
	assert.deepEqual(cut(messages, 50), { from: 2, covers: [1] });
	const later = [...messages.slice(0, 4), user(long("last", 60))];
	assert.deepEqual(cut(later, 50), { from: 5, covers: [1, 2, 3, 4] });
	const { messages: summarized } = selectRange(view(later), 50, "threshold")!;
	assert.deepEqual(
		summarized.map(({ role }) => role),
		["user", "assistant"],
	);
});

test("nothing is compacted while the context is smaller than what is kept, unless it is said to be too long", () => {
	const messages = [user("one"), says("two"), user("three"), says("four")];
	assert.equal(cut(messages, 1_000), undefined);
	assert.deepEqual(cut(messages, 1_000, "overflow"), { from: 3, covers: [1, 2] });
	assert.deepEqual(cut(messages, 1_000, "manual"), { from: 3, covers: [1, 2] });
});

test("a first message that is most of a small context is summed up, and all after it is kept", () => {
	const messages = [user(long("one", 300)), says("two"), user("three"), says("four")];
	assert.deepEqual(cut(messages, 1_000, "overflow"), { from: 2, covers: [1] });
	assert.deepEqual(cut(messages, 1_000, "manual"), { from: 3, covers: [1, 2] });
	assert.deepEqual(cut(messages, 100, "overflow"), { from: 2, covers: [1] });
	assert.equal(cut(messages, 100), undefined);
});

test("by hand, the last turn of a small context stays whole", () => {
	const messages = [user("one"), says("two"), user("three"), calls("a"), result("a", 50), says("four")];
	assert.deepEqual(cut(messages, 1_000, "manual"), { from: 3, covers: [1, 2] });
	assert.equal(cut([user("one"), calls("a"), result("a", 50), says("two")], 1_000, "manual"), undefined);
});

test("there is nothing to gain where only a prompt comes before the cut", () => {
	for (const reason of ["threshold", "overflow", "manual"] as const) {
		assert.equal(cut([system, user(long("one", 300))], 100, reason), undefined, reason);
		assert.equal(cut([user(long("one", 300)), system], 100, reason), undefined, reason);
	}
	assert.equal(cut([], 100, "manual"), undefined);
});

test("an earlier summary is summarized again, together with what followed it", () => {
	const head = entry(9, user("the first summary"), { head: 3 as EntryId, kind: "pi.compaction" });
	const messages = [user("cut off"), says("too"), user(long("a", 100)), says(long("b", 100)), user("c")];
	const kept = messages.map((message, index) => entry(index + 1, message)).slice(2);
	const context = deriveContext(head, [...kept, head]);
	const range = selectRange(context, 90, "threshold")!;
	assert.deepEqual(
		range.entries.map(({ id }) => id),
		[9, 3],
	);
	assert.equal(range.messages[0]!.content, "the first summary");
	assert.equal(range.firstKept, 4);
	assert.deepEqual(rangeThatKeeps(context, range.firstKept), range);
});

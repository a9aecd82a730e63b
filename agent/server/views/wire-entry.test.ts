import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { EntryRecord } from "../../durable/index.ts";
import { randomFrom, randomJson } from "../../protocol/testing/random.ts";
import { jsonBytes, SHARE } from "./sizes.ts";
import { ALONE, PART_OF_MANY, wireEntry } from "./wire-entry.ts";

test("an answer shows its texts, its thinking, its calls, what it cost and who gave it", () => {
	const entry = wireEntry(
		answer([
			{ type: "thinking", thinking: "hm" },
			{ type: "text", text: "One." },
			{ type: "toolCall", id: "c1", name: "read", arguments: { path: "a" } },
			{ type: "text", text: "Two." },
		]),
		PART_OF_MANY,
	);
	assert.deepEqual(entry, {
		role: "assistant",
		id: "7",
		kind: "pi.assistant",
		text: "One.\n\nTwo.",
		at: 5,
		thinking: { text: "hm" },
		toolCalls: [{ id: "c1", name: "read", arguments: { path: "a" } }],
		stopReason: "toolUse",
		model: "p/m",
		usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 10, cost: 0.5, estimated: false },
	});
});

test("what a plan pays for is marked as an estimate", () => {
	const entry = wireEntry(answer([], "claude-code"), PART_OF_MANY);
	assert.equal(entry.role === "assistant" && entry.usage?.estimated, true);
});

test("long texts and arguments are cut with a mark, and come whole when the entry is asked for alone", () => {
	const content = "x".repeat(200_000);
	const record = answer([
		{ type: "text", text: content },
		{ type: "toolCall", id: "c1", name: "write", arguments: { path: "a", content } },
	]);
	const part = wireEntry(record, PART_OF_MANY);
	assert.ok(part.role === "assistant");
	assert.deepEqual(part.cut, { shown: part.text.length, total: content.length });
	const [call] = part.toolCalls!;
	assert.equal(call?.arguments.path, "a");
	assert.ok((call?.cut?.shown ?? 0) < content.length && call?.cut?.total === content.length + 1);
	const whole = wireEntry(record, ALONE);
	assert.ok(whole.role === "assistant");
	assert.equal(whole.text, content);
	assert.deepEqual(whole.toolCalls?.[0]?.arguments, { path: "a", content });
});

test("no entry takes more than its share, however many and odd its parts are", () => {
	const random = randomFrom(3);
	for (const calls of [1, 50, 3_000, 20_000]) {
		const record = answer([
			{ type: "text", text: "\u0000".repeat(300_000) },
			{ type: "thinking", thinking: "渐".repeat(300_000) },
			...Array.from({ length: calls }, (_, i) => ({
				type: "toolCall" as const,
				id: `call-${i}`,
				name: "tool",
				arguments: { odd: randomJson(random) as never, long: "\u0001".repeat(200_000 / calls) },
			})),
		]);
		const entry = wireEntry(record, PART_OF_MANY);
		assert.ok(jsonBytes(entry) <= SHARE.entry, `${calls} calls: ${jsonBytes(entry)} bytes`);
		assert.ok(entry.cut !== undefined);
	}
});

test("a result's remarks for the model are people's diagnostics, not part of its text", () => {
	const diagnostics = [{ severity: "warn" as const, message: "output truncated", code: "truncated" }];
	const entry = wireEntry(
		{
			...base("pi.tool-result"),
			model: [
				{
					role: "toolResult",
					toolCallId: "c1",
					toolName: "bash",
					content: [
						{ type: "text", text: "said" },
						{ type: "text", text: "<harness>\n[warn] output truncated\n</harness>" },
					],
					isError: false,
					timestamp: 1,
					details: { exitCode: 0 },
				},
			],
			data: { diagnostics },
		},
		PART_OF_MANY,
	);
	assert.deepEqual(entry, {
		role: "toolResult",
		id: "7",
		kind: "pi.tool-result",
		text: "said",
		at: 5,
		toolCallId: "c1",
		toolName: "bash",
		isError: false,
		details: { exitCode: 0 },
		diagnostics,
	});
});

test("details that are long are left out with a mark", () => {
	const details = { diff: "x".repeat(100_000) };
	const record: EntryRecord = {
		...base("pi.tool-result"),
		model: [
			{
				role: "toolResult",
				toolCallId: "c",
				toolName: "edit",
				content: [],
				isError: false,
				timestamp: 1,
				details,
			},
		],
		data: { diagnostics: [] },
	};
	const part = wireEntry(record, PART_OF_MANY);
	assert.ok(part.role === "toolResult");
	assert.deepEqual([part.details, part.detailsCut], [undefined, { shown: 0, total: jsonBytes(details) }]);
	const whole = wireEntry(record, ALONE);
	assert.deepEqual(whole.role === "toolResult" && whole.details, details);
});

test("what a provider refused is said with the answer it was left out for", () => {
	const message = {
		role: "assistant",
		content: [],
		provider: "p",
		model: "m",
		usage: { cost: {} },
		stopReason: "stop",
		diagnostics: [
			{ type: "outlive.left-out", timestamp: 1, details: { leftOut: "thinking" } },
			{ type: "outlive.left-out", timestamp: 1, details: { leftOut: "images", digests: ["a"] } },
			{ type: "of another", timestamp: 1 },
		],
	};
	const record = { ...base("pi.assistant"), model: [message as unknown as AssistantMessage] };
	const entry = wireEntry(record, PART_OF_MANY);
	assert.ok(entry.role === "assistant" && entry.remarks !== undefined);
	assert.match(entry.remarks.join("\n"), /^.*refused the thinking.*\n.*refused an image .*$/);
});

test("a change of the model says who answers from here on", () => {
	const record = { ...base("outlive.model"), data: { from: "a/one", to: "b/two" } } as EntryRecord;
	const entry = wireEntry(record, PART_OF_MANY);
	assert.equal(entry.text, "Answers come from b/two from here on, no longer from a/one.");
	assert.deepEqual(entry.role === "system" && entry.details, { from: "a/one", to: "b/two" });
});

test("a change of the prompt says what it is about; a kind nobody knows is for the system's column", () => {
	const prompt = wireEntry(
		{
			...base("pi.system"),
			model: [
				{
					role: "system",
					content: "",
					sections: { project: "Be kind.", gone: null },
					toolsAdded: [{ name: "read", description: "", parameters: {} }],
					timestamp: 1,
				},
			],
		},
		PART_OF_MANY,
	);
	assert.deepEqual(prompt, {
		role: "system",
		id: "7",
		kind: "pi.system",
		text: "Be kind.",
		at: 5,
		details: { sections: ["project", "gone"], toolsAdded: ["read"], toolsRemoved: [] },
	});
	assert.deepEqual(wireEntry({ ...base("someone.else"), data: { a: 1 } }, PART_OF_MANY), {
		role: "system",
		id: "7",
		kind: "someone.else",
		text: "",
		at: 5,
		details: { a: 1 },
	});
	const note = wireEntry({ ...base("someone.else"), data: { text: "Said for people." } }, PART_OF_MANY);
	assert.equal(note.text, "Said for people.");
});

function base(kind: string): EntryRecord {
	return { id: 7, conversationId: 3, kind, at: 5 } as unknown as EntryRecord;
}

function answer(content: AssistantMessage["content"], provider = "p"): EntryRecord {
	const message: AssistantMessage = {
		role: "assistant",
		content,
		api: "test",
		provider,
		model: "m",
		usage: {
			input: 1,
			output: 2,
			cacheRead: 3,
			cacheWrite: 4,
			totalTokens: 10,
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 },
		},
		stopReason: "toolUse",
		timestamp: 1,
	};
	return { ...base("pi.assistant"), model: [message] };
}

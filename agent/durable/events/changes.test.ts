import assert from "node:assert/strict";
import { test } from "node:test";
import { fauxAssistantMessage, fauxText, fauxThinking, fauxToolCall } from "@earendil-works/pi-ai";
import type { TaskId } from "../types/ids.ts";
import type { ToolSlot } from "../types/live.ts";
import { messageChanges } from "./message-changes.ts";
import { toolEvents } from "./tool-events.ts";

const message = (...parts: Parameters<typeof fauxAssistantMessage>[0][]) =>
	fauxAssistantMessage(parts.flat() as never);

test("texts that only grew are told by what came, wherever they stand; anything else by the block, or the whole", () => {
	const before = message(fauxThinking("Hm"), fauxToolCall("write", { path: "a", lines: ["x"] }, { id: "c" }));
	const after = message(
		fauxThinking("Hmm"),
		fauxToolCall("write", { path: "ab", lines: ["xy"] }, { id: "c" }),
		fauxText("So"),
	);
	assert.deepEqual(messageChanges(before, after), [
		{ type: "thinking_delta", contentIndex: 0, delta: "m" },
		{ type: "toolcall_delta", contentIndex: 1, path: ["path"], delta: "b" },
		{ type: "toolcall_delta", contentIndex: 1, path: ["lines", 0], delta: "y" },
		{ type: "text_start", contentIndex: 2, block: fauxText("So") },
	]);
	const other = message(fauxThinking("No"), before.content[1] as never);
	assert.deepEqual(messageChanges(before, other), [
		{ type: "block", contentIndex: 0, block: fauxThinking("No") },
	]);
	const fewer = message(fauxText("x"));
	assert.deepEqual(messageChanges(before, fewer), [{ type: "message", message: fewer }]);
	assert.deepEqual(messageChanges(before, before), []);
});

test("running output is told by what its front lost and its end gained, else as a whole", () => {
	const slot = (output: string): ToolSlot => ({
		callId: "c",
		name: "t",
		taskId: 2 as TaskId,
		status: "running",
		output,
	});
	const change = (before: string, after: string) => {
		const [update] = toolEvents([slot(before)], [slot(after)], [], []).updates;
		return update?.type === "tool_execution_update" ? update.output : undefined;
	};
	assert.deepEqual(change("ab", "abc"), { append: "c" });
	assert.deepEqual(change("abcabcd", "bcdef"), { trimStart: 4, append: "ef" });
	assert.deepEqual(change("abc", "bc"), { trimStart: 1 });
	assert.deepEqual(change("abc", "xyz"), { set: "xyz" });
	assert.deepEqual(change("abc", "abc"), undefined);
});

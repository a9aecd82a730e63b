import assert from "node:assert/strict";
import { test } from "node:test";
import { shownEntry } from "../session/shown-entry.ts";
import { assistant, result, user } from "../testing/views.ts";
import type { FollowEvent } from "./events.ts";
import { createPrinter } from "./printer.ts";
import type { Sheet } from "./sheet.ts";

/** What a pipe would get. */
function print(events: readonly FollowEvent[]): string {
	let text = "";
	const sheet: Sheet = {
		write: (piece) => {
			text += piece;
		},
		freshLine: () => {
			if (text !== "" && !text.endsWith("\n")) text += "\n";
		},
		open() {},
	};
	const printer = createPrinter(sheet, { now: () => 0 });
	for (const event of events) printer.print(event);
	return text;
}

test("a run reads as message, command, output, answer", () => {
	const events: FollowEvent[] = [
		{ type: "entry", entry: shownEntry(user("1", "build it\nplease")) },
		{ type: "text", text: "I'll " },
		{ type: "text", text: "build it." },
		{ type: "entry", entry: shownEntry(assistant("2", "I'll build it.")) },
		{ type: "call", call: "c1", name: "bash", arguments: { command: "make\nmake test" } },
		{ type: "output", call: "c1", text: "ok\n" },
		{ type: "entry", entry: shownEntry(result("3", "c1", "ok")) },
		{ type: "result", call: "c1", name: "bash", isError: false },
		{ type: "text", text: "Built." },
		{ type: "entry", entry: shownEntry(assistant("4", "Built.")) },
		{ type: "entry", entry: shownEntry(user("5", "thanks")) },
	];
	assert.equal(
		print(events),
		"> build it\n  please\nI'll build it.\n$ make\n  make test\n  ok\nBuilt.\n\n> thanks\n",
	);
});

test("a subagent's call says where its own conversation is and what it cost; its late answer whose it is", () => {
	const printed = print([
		{
			type: "call",
			call: "c1",
			name: "subagent",
			arguments: { description: "find waits", prompt: "Find …" },
		},
		{ type: "subagent", call: "c1", conversation: "12" },
		{
			type: "entry",
			entry: shownEntry(result("3", "c1", "two", { toolName: "subagent", conversation: "12" })),
		},
		{ type: "result", call: "c1", name: "subagent", isError: false, conversation: "12", cost: 0.061 },
		{
			type: "entry",
			entry: shownEntry({
				...user("5", "in a.ts"),
				from: { description: "find more", status: "answered" },
			}),
		},
	]);
	assert.equal(
		printed,
		[
			"* subagent find waits",
			"-- subagent 12 works on it: outlive follow 12",
			"* subagent find waits (goes on)",
			"  two",
			"-- subagent 12 ($0.06): outlive show 12",
			"",
			"-- the subagent “find more” has answered:",
			"  in a.ts",
			"",
		].join("\n"),
	);
});

test("a result that nothing was shown of is shown in its beginning, with the way to the rest", () => {
	const text = Array.from({ length: 14 }, (_, at) => `line ${at}`).join("\n");
	const printed = print([
		{ type: "session", session: "7", title: "T", directory: "/p", state: "idle", model: null },
		{ type: "call", call: "c1", name: "read", arguments: { path: "a.txt", offset: 3 } },
		{ type: "entry", entry: shownEntry(result("3", "c1", text, { toolName: "read" })) },
		{ type: "result", call: "c1", name: "read", isError: false },
	]);
	assert.match(printed, /^-- 7: T \(no model, \/p\)\n\* read a\.txt\n {2}line 0\n/);
	assert.match(printed, / {2}line 9\n {2}… 4 more lines: outlive output 7 c1\n$/);
});

test("a change of the model is a remark in plain words", () => {
	const text = "Answers come from b/two from here on, no longer from a/one.";
	const entry = { id: "1", kind: "outlive.model", role: "system", text, at: 1 } as const;
	assert.equal(print([{ type: "entry", entry }]), `-- ${text}\n`);
});

test("repairs of a call's arguments are named under it", () => {
	const printed = print([
		{ type: "call", call: "c1", name: "read", arguments: { path: "a" } },
		{ type: "repair", call: "c1", repairs: ["file_path taken for path", "limit turned"] },
		{ type: "entry", entry: shownEntry(result("3", "c1", "text", { toolName: "read" })) },
		{ type: "result", call: "c1", name: "read", isError: false },
	]);
	assert.equal(printed, "* read a\n  repaired: file_path taken for path; limit turned\n  text\n");
});

test("a call that failed, one that was interrupted and an answer cut off are marked", () => {
	const printed = print([
		{ type: "result", call: "c1", name: "bash", isError: true },
		{ type: "result", call: "c2", name: "bash", isError: true, interrupted: true },
		{ type: "entry", entry: shownEntry(assistant("2", "one", { stopReason: "aborted" })) },
	]);
	assert.equal(
		printed,
		"-- bash failed\n-- this call was interrupted and not run again\n-- the answer was cut off here\n",
	);
});

test("output of several calls at once stands under the call it is of", () => {
	const printed = print([
		{ type: "call", call: "c1", name: "bash", arguments: { command: "one" } },
		{ type: "call", call: "c2", name: "bash", arguments: { command: "two" } },
		{ type: "output", call: "c1", text: "1\n" },
		{ type: "output", call: "c2", text: "2\n", skipped: true },
	]);
	assert.equal(printed, "$ one\n$ two\n$ one (goes on)\n  1\n$ two (goes on)\n  …\n  2\n");
});

test("each piece of an output has lines of its own, whether or not its last one was whole", () => {
	const output = (text: string): FollowEvent => ({ type: "output", call: "c1", text });
	const pieces = [
		output("started"),
		output("\n"),
		output("one\n\ntwo\n"),
		output("50%"),
		output("\n70%"),
		output("\n"),
	];
	assert.equal(print(pieces), "  started\n  one\n\n  two\n  50%\n  70%\n");
});

test("nothing that a model or a command says can move the cursor or hide itself", () => {
	const printed = print([
		{ type: "text", text: "a\u001b[2Jb\u001b]0;title\u0007c\rd\u202e" },
		{ type: "output", call: "c1", text: "\u001b[31mred\u001b[0m\u0000\u009b\n" },
		{ type: "queued", submission: "s", text: "two\nlines\u001b[1A", mode: "steer" },
	]);
	assert.equal(printed, "abcd\n  red\n-- for the next step: two lines\n");
});

test("waits and losses are said in words", () => {
	const printed = print([
		{ type: "retry", attempt: 1, max: 3, at: 2000, error: "connection lost" },
		{ type: "waiting", for: "slot" },
		{ type: "dropped" },
		{ type: "submission", submission: "s", status: "unanswered", answer: "", reason: "failed: no" },
		{ type: "connection", state: "lost" },
		{ type: "connection", state: "back", pid: 12 },
	]);
	assert.deepEqual(printed.trimEnd().split("\n"), [
		"-- attempt 1 of 3 to try again, in 2 s: connection lost",
		"-- waiting for room to run one more model",
		"-- the answer broke off; it begins again",
		"-- no answer: failed: no",
		"-- the agent is gone; waiting for it to be back",
		"-- the agent is back (process 12)",
	]);
});

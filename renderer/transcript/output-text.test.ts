import assert from "node:assert/strict";
import { test } from "node:test";
import { answered } from "../testing/entries.ts";
import { lastLines, liveOutput, resultOutput } from "./output-text.ts";

test("what the model did not see is told apart from what it saw", () => {
	const text = "PASS a\n…\n[… 6,112,330 bytes left out, 12 of them no longer kept …]\n…\nFAIL b\nexit code 1";
	const result = answered("c", "bash", { text, details: { spool: { bytes: 6_142_330 }, truncated: true } });
	assert.deepEqual(resultOutput(result), {
		head: "PASS a\n…",
		tail: "…\nFAIL b\nexit code 1",
		leftOut: "6,112,330 bytes the model did not see",
		bytes: 6_142_330,
	});
	assert.deepEqual(resultOutput(answered("c", "bash", { text: "all" })), { head: "", tail: "all" });
	assert.equal(
		resultOutput(answered("c", "bash", { text: "a", cut: { shown: 1, total: 2 } })).leftOut,
		"more than is shown here",
	);
});

test("a running command shows its end and how much is before it", () => {
	const live = { callId: "c", name: "bash", status: "running" as const, output: "run 20" };
	assert.deepEqual(liveOutput(live), { head: "", tail: "run 20" });
	assert.equal(liveOutput({ ...live, droppedBytes: 41_882 }).leftOut, "41,882 bytes before this");
	assert.deepEqual(lastLines("1\n2\n3\n4\n\n", 3), { text: "2\n3\n4", before: 1 });
	assert.deepEqual(lastLines("", 3), { text: "", before: 0 });
});

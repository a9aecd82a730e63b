import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveState, TaskId } from "../../durable/index.ts";
import { createLiveView } from "./live-view.ts";

const FACTS = {
	run: undefined,
	maxRetries: 3,
	startedAt: () => undefined,
	conversationOf: () => undefined,
	spendOf: () => undefined,
};

const project = (live: LiveState) => createLiveView().project(live, {}, FACTS);

test("a retry says why the attempt before it failed", () => {
	const generation = { attempt: 2, retry: { at: 9, error: "529 Overloaded" } };
	assert.deepEqual(project({ generation }).retry, {
		attempt: 2,
		max: 3,
		at: 9,
		error: "529 Overloaded",
		cause: "overloaded",
	});
});

test("a compaction shows what it waits for, as a run does", () => {
	const status = { taskId: 7 as TaskId<never>, reason: "threshold", blocking: true, attempt: 1 } as const;
	const error = "Server requested 7200s retry delay (max: 60s). You've hit your 5-hour limit";
	const waiting = { reason: "limit", at: 9, error, resumptions: 1 } as const;
	assert.deepEqual(project({ compactions: [{ ...status, waiting }] }).compaction, {
		reason: "threshold",
		blocking: true,
		waiting: { for: "limit", until: 9, error: "You've hit your 5-hour limit" },
	});
	const slot = { reason: "slot", since: 8 } as const;
	assert.deepEqual(project({ compactions: [{ ...status, waiting: slot }] }).compaction?.waiting, {
		for: "slot",
	});
	const retry = { at: 9, error: "read ECONNRESET" };
	assert.deepEqual(project({ compactions: [{ ...status, retry }] }).compaction?.retry, {
		...retry,
		cause: "dropped",
	});
});

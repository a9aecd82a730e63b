import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConversationId, LiveState, SubmissionId, TaskId } from "../../durable/index.ts";
import type { SessionFacts } from "./facts.ts";
import { snapshotOf } from "./snapshot.ts";

const RUNNING: SessionFacts = {
	id: 1 as ConversationId,
	record: { directory: "/srv/app", title: "app", titleFrom: "folder", createdAt: 1 },
	model: undefined,
	newest: undefined,
	toRead: undefined,
	response: undefined,
	live: {},
	run: { id: 2 as SubmissionId, since: 3 },
	startedAt: new Map(),
	parked: undefined,
	ended: undefined,
	preview: "",
};

const during = (status: object): LiveState => ({
	compactions: [{ taskId: 7 as TaskId<never>, reason: "threshold", blocking: true, attempt: 1, ...status }],
});
const activityOf = (live: LiveState) => snapshotOf({ ...RUNNING, live }).activity;

test("a run waits for what the compaction before it waits for", () => {
	for (const reason of ["limit", "network"] as const)
		assert.deepEqual(activityOf(during({ waiting: { reason, at: 9, error: "", resumptions: 0 } })), {
			kind: "waiting",
			for: reason,
			until: 9,
		});
	assert.deepEqual(activityOf(during({ retry: { at: 9, error: "529 Overloaded" } })), {
		kind: "waiting",
		for: "retry",
		until: 9,
		cause: "overloaded",
	});
	const beside = during({ blocking: false, waiting: { reason: "limit", at: 9, error: "", resumptions: 0 } });
	assert.deepEqual(activityOf(beside), { kind: "running", since: 3 }, "one beside the run holds nothing up");
});

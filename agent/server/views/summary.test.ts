import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConversationId } from "../../durable/index.ts";
import type { SessionSnapshot } from "../../sessions/service.ts";
import { subagentSummary, summaryOf } from "./summary.ts";

const SNAPSHOT: SessionSnapshot = {
	id: 1 as ConversationId,
	record: { directory: "/srv/app", title: "app", titleFrom: "folder", createdAt: 1 },
	activity: { kind: "idle" },
	model: undefined,
	updatedAt: 1,
	newestEntry: undefined,
	unread: false,
};

const subagent = (facts: Partial<Parameters<typeof subagentSummary>[0]>) =>
	subagentSummary({
		id: 5 as ConversationId,
		parent: { conversation: 1 as ConversationId, call: "c" },
		session: SNAPSHOT,
		directory: "/srv/app",
		model: null,
		live: {},
		parked: undefined,
		runSince: undefined,
		createdAt: 1,
		updatedAt: 2,
		...facts,
	}).state;

test("a session that a parked subagent holds up says which, and what to do", () => {
	const activity = { kind: "needs_you", reason: "…", at: 9, subagent: 5 as ConversationId } as const;
	const { state } = summaryOf({ ...SNAPSHOT, activity });
	assert.ok(state.kind === "needs_you");
	assert.match(state.request.text, /subagent of this session.*send it a message or stop it\.$/);
	assert.deepEqual([state.request.id, state.request.conversation], ["parked-5-9", "5"]);
});

test("a subagent's own page says that it is parked, and what it waits for", () => {
	const state = subagent({ parked: { at: 9, reason: "Stop it." } });
	assert.ok(state.kind === "needs_you" && state.request.text === "Stop it.");
	const live = {
		run: { taskId: 7, inputs: [6] },
		generation: { attempt: 1, retry: { at: 9, error: "529" } },
	};
	assert.deepEqual(subagent({ live: live as never }), {
		kind: "waiting",
		for: "retry",
		until: 9,
		cause: "overloaded",
	});
	assert.deepEqual(subagent({ live: { run: live.run } as never, runSince: 3 }), {
		kind: "running",
		since: 3,
	});
	assert.deepEqual(subagent({}), { kind: "idle" });
});

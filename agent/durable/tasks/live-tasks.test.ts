import assert from "node:assert/strict";
import { test } from "node:test";
import { createStagedRecords } from "../session/staged-records.ts";
import { MemoryStorage } from "../storage/memory.ts";
import { context } from "../testing/open-harness.ts";
import { completed } from "../testing/steps.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";
import { createLiveTasks } from "./live-tasks.ts";

const task = (state: object) =>
	({ id: 2 as TaskId, conversationId: 1 as ConversationId, kind: "test.step", state }) as AnyTaskRecord;

function stage(record: AnyTaskRecord) {
	const staged = createStagedRecords();
	staged.conversations.set(1 as ConversationId, { id: 1 as ConversationId } as never);
	staged.tasks.set(record.id, record);
	return staged;
}

test("a task that has ended can't be stored as one that goes on", async () => {
	const live = createLiveTasks(new MemoryStorage());
	const pending = task({ status: "pending", checkpoint: { phase: "run" } });
	await live.expect(stage(pending), context);
	live.adopt([pending]);
	const running = task({ status: "running", checkpoint: { phase: "run" } });
	await live.expect(stage(running), context);
	live.adopt([running, task(completed("done"))]);
	assert.equal(live.live.size, 0);
	await assert.rejects(
		live.expect(stage(running), context),
		/^Error: Task 2 \(test\.step\) has ended and can't be running again\.$/,
	);
});

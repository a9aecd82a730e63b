import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskNode } from "../../agent/protocol/index.ts";
import { isAtWork, taskName, taskRows } from "./task-rows.ts";

const task = (id: string, more: Partial<TaskNode> = {}): TaskNode => ({
	id,
	kind: "tool",
	name: "bash",
	status: "running",
	background: false,
	children: [],
	...more,
});

test("tasks stand under what owns them, and of very many the newest are shown", () => {
	const tree = [task("a", { children: [task("b", { children: [task("c")] })] }), task("d")];
	assert.deepEqual(
		taskRows(tree).rows.map(({ task: { id }, depth }) => [id, depth]),
		[
			["a", 0],
			["b", 1],
			["c", 2],
			["d", 0],
		],
	);
	const many = taskRows(Array.from({ length: 100 }, (_, index) => task(`t${index}`)));
	assert.deepEqual([many.rows.length, many.hidden, many.rows.at(-1)?.task.id], [40, 60, "t99"]);
});

test("a task that waits for one that runs is at work", () => {
	const waiting = { kind: "generation" as const, status: "waiting" as const };
	assert.ok(isAtWork(task("a", { ...waiting, children: [task("b")] })));
	assert.ok(!isAtWork(task("a", { ...waiting, children: [task("b", { status: "done" })] })));
	assert.equal(taskName(task("a", waiting)), "Answer");
	assert.equal(taskName(task("a", { name: "subagent" })), "Subagent");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { context, openTestHarness } from "../testing/open-harness.ts";
import { childrenOf, create, createSteps } from "../testing/steps.ts";
import { until } from "../testing/until.ts";

test("the task graph shows every live task, who owns it and what it waits for, until it ends", async (t) => {
	const { log, gate, Parent, tasks } = createSteps();
	const { harness, root } = await openTestHarness(t, { tasks });
	const graph = await harness.taskGraph(context);
	const watch = await harness.watchTaskGraph(context);
	const frames: unknown[] = [];
	watch.start(async (value, ops) => void frames.push([value, ops]));
	assert.deepEqual(graph.value, { tasks: {} });
	const parent = await create(root, Parent, { children: ["a"], policy: "allSettled" });
	harness.resume();
	await until("the child runs", () => log.includes("a runs"));
	const [child] = await childrenOf(harness, parent);
	assert.deepEqual(graph.value.tasks[parent], {
		id: parent,
		kind: "test.parent",
		conversationId: root.id,
		background: false,
		abortRequested: false,
		state: { status: "waiting", phase: "joined", on: [child], policy: "allSettled" },
		conversations: [],
	});
	assert.equal(graph.value.tasks[child!]?.owner, parent);
	assert.deepEqual(graph.value.tasks[child!]?.state, { status: "running", phase: "run" });
	gate("a").resolve("complete");
	await harness.waitForTask(parent, context);
	assert.deepEqual(graph.value, { tasks: {} });
	await until("the watch is there too", () => JSON.stringify(watch.value) === '{"tasks":{}}');
	graph.dispose();
	await watch.stop();
});

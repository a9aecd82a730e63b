import assert from "node:assert/strict";
import { test } from "node:test";
import { context, openTestHarness } from "../testing/open-harness.ts";
import { aborted, create, createSteps, failed, outcomeOf } from "../testing/steps.ts";
import { until } from "../testing/until.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import { defineTask } from "../types/tasks.ts";

test("with failFast the first failure aborts the others, and the parent sees every outcome", async (t) => {
	const { log, gate, Parent, tasks } = createSteps();
	const { harness, root } = await openTestHarness(t, { tasks });
	const parent = await create(root, Parent, { children: ["a", "b", "c"], policy: "failFast" });
	harness.resume();
	await until("the children run", () => ["a runs", "b runs", "c runs"].every((line) => log.includes(line)));
	gate("b").resolve("fail");
	assert.deepEqual(await outcomeOf(harness, parent), {
		status: "completed",
		result: "aborted,failed,aborted",
	});
	assert.deepEqual(log.slice(-4).sort(), ["a aborts", "b ends", "c aborts", "parent joined"]);
});

test("a task that fails takes the work it owns with it, and ends after it", async (t) => {
	const { log, Step } = createSteps();
	const Failing = defineTask<null, { phase: "only" }, string>({
		name: "test.failing",
		version: 1,
		initial: () => ({ phase: "only" }),
		phases: {
			only: async (task, runtime, taskContext) => {
				await runtime.commit(async (tx) => {
					await tx.createTask(Step, { name: "owned" }, { ownership: { kind: "task", taskId: task.id } });
				}, taskContext);
				await until("the owned work runs", () => log.includes("owned runs"));
				await runtime.commit(() => failed("on purpose"), taskContext);
			},
		},
		abort: async (_task, runtime, taskContext) => runtime.commit(() => aborted, taskContext),
	});
	const { harness, root } = await openTestHarness(t, { tasks: [Step, Failing] });
	const id = await create(root, Failing, null);
	harness.resume();
	const outcome = await outcomeOf(harness, id);
	assert.deepEqual(outcome, { status: "failed", error: { message: "on purpose" } });
	assert.deepEqual(log, ["owned runs", "owned aborts"]);
});

test("abort runs from the bottom up: an owner's handler starts once all it owns is done", async (t) => {
	const { log, Parent, tasks } = createSteps();
	const { harness, root } = await openTestHarness(t, { tasks });
	const parent = await create(root, Parent, { children: ["a", "b"], policy: "allSettled" });
	harness.resume();
	await until("the children run", () => log.includes("a runs") && log.includes("b runs"));
	assert.equal(await harness.abortTask(parent, context), "marked");
	assert.deepEqual(await outcomeOf(harness, parent), { status: "aborted" });
	assert.equal(log.at(-1), "parent aborts");
	assert.deepEqual(log.slice(-3, -1).sort(), ["a aborts", "b aborts"]);
	assert.equal(await harness.abortTask(parent, context), "terminal");
	await assert.rejects(harness.abortTask(9_999_999 as TaskId, context), /doesn't exist/);
});

test("a task aborted before it ever ran goes to its abort handler only", async (t) => {
	const { log, Step, tasks } = createSteps();
	const { harness, root } = await openTestHarness(t, { tasks });
	const id = await create(root, Step, { name: "a" });
	assert.equal(await harness.abortTask(id, context), "marked");
	assert.equal((await harness.getTask(id, context))?.abortRequested, true);
	assert.deepEqual(await outcomeOf(harness, id), { status: "aborted" });
	assert.deepEqual(log, ["a aborts"]);
});

test("a plain abort and an idle wait stop at a background task; { background: true } crosses it", async (t) => {
	const { log, Parent, tasks } = createSteps();
	const { harness, root } = await openTestHarness(t, { tasks });
	const input = { children: ["a"], policy: "allSettled" } as const;
	const id = await create(
		root,
		Parent,
		{ ...input, children: ["a"] },
		{
			ownership: { kind: "conversation" },
			background: true,
		},
	);
	harness.resume();
	await until("the child runs", () => log.includes("a runs"));
	await root.waitForIdle(context);
	await harness.waitForIdle(context);
	assert.equal(await root.abort(context), false);
	assert.equal((await harness.getTask(id, context))?.abortRequested, false);
	assert.equal(await root.abort(context, { background: true }), true);
	assert.deepEqual(await outcomeOf(harness, id), { status: "aborted" });
	assert.deepEqual(log, ["parent starts", "a runs", "a aborts", "parent aborts"]);
});

test("a conversation a task owns is part of the task's work: aborting the task ends what runs there", async (t) => {
	const { log, Step } = createSteps();
	const children: ConversationId[] = [];
	const Owner = defineTask<null, { phase: "only" }, string>({
		name: "test.owner",
		version: 1,
		initial: () => ({ phase: "only" }),
		phases: {
			only: async (task, runtime, taskContext) => {
				await runtime.commit(async (tx) => {
					const { id } = await tx.createConversation({ ownership: { kind: "task", taskId: task.id } });
					children.push(id);
					await tx.createTask(
						Step,
						{ name: "inner" },
						{
							ownership: { kind: "conversation" },
							conversationId: id,
						},
					);
				}, taskContext);
				await runtime.sleep(Number.POSITIVE_INFINITY, taskContext);
			},
		},
		abort: async (_task, runtime, taskContext) => {
			log.push("owner aborts");
			await runtime.commit(() => aborted, taskContext);
		},
	});
	const { harness, root } = await openTestHarness(t, { tasks: [Step, Owner] });
	const id = await create(root, Owner, null);
	harness.resume();
	await until("the inner task runs", () => log.includes("inner runs"));
	const child = (await harness.conversation(children[0]!, context))!;
	await root.abort(context);
	assert.deepEqual(await outcomeOf(harness, id), { status: "aborted" });
	assert.deepEqual(log, ["inner runs", "inner aborts", "owner aborts"]);
	await child.waitForIdle(context);
});

test("an abort lets a waiting task leave its wait; what it doesn't own it does not wait for", async (t) => {
	const { log, gate, Step, Parent, tasks } = createSteps();
	const { harness, root } = await openTestHarness(t, { tasks });
	const foreign = await create(root, Step, { name: "foreign" });
	const parent = await create(root, Parent, { children: [], policy: "allSettled", on: [foreign] });
	harness.resume();
	await until("it waits", async () => (await harness.getTask(parent, context))?.state.status === "waiting");
	await harness.abortTask(parent, context);
	assert.deepEqual(await outcomeOf(harness, parent), { status: "aborted" });
	assert.ok(!log.includes("foreign aborts"));
	gate("foreign").resolve("complete");
	await harness.waitForTask(foreign, context);
});

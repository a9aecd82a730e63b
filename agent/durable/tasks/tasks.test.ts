import assert from "node:assert/strict";
import { test } from "node:test";
import { context, openTestHarness } from "../testing/open-harness.ts";
import { aborted, childrenOf, completed, create, createSteps, outcomeOf } from "../testing/steps.ts";
import { until } from "../testing/until.ts";
import type { TaskId } from "../types/ids.ts";
import { defineTask, type JoinPolicy, type TaskRuntime } from "../types/tasks.ts";

test("a task runs its phases one after the other and ends with its result", async (t) => {
	const { log, gate, Step, tasks } = createSteps();
	const { harness, root } = await openTestHarness(t, { tasks });
	const id = await create(root, Step, { name: "a" });
	assert.equal((await harness.getTask(id, context))?.state.status, "pending");
	harness.resume();
	await until("the task runs", () => log.includes("a runs"));
	assert.equal((await harness.getTask(id, context))?.state.status, "running");
	gate("a").resolve("complete");
	const record = await harness.waitForTask(id, context);
	assert.deepEqual(record.state.outcome, { status: "completed", result: "a" });
	assert.ok(record.startedAt! <= record.endedAt!);
});

test("a waiting task runs no code; with allSettled it goes on once all it waits for has ended", async (t) => {
	const { log, gate, Parent, tasks } = createSteps();
	const { harness, root } = await openTestHarness(t, { tasks });
	const parent = await create(root, Parent, { children: ["a", "b", "c"], policy: "allSettled" });
	harness.resume();
	await until("the children run", () => ["a runs", "b runs", "c runs"].every((line) => log.includes(line)));
	gate("b").resolve("fail");
	gate("a").resolve("complete");
	await until("two ended", async () => (await harness.inspect(context)).tasks.length === 2);
	const { tasks: live } = await harness.inspect(context);
	const [child] = (await childrenOf(harness, parent)).slice(2);
	assert.deepEqual(live.find(({ record }) => record.id === parent)?.state, { kind: "waiting", on: [child] });
	assert.ok(!log.includes("parent joined"));
	gate("c").resolve("complete");
	assert.deepEqual(await outcomeOf(harness, parent), {
		status: "completed",
		result: "completed,failed,completed",
	});
});

test("a task that finishes while work it owns goes on is completing until that is done", async (t) => {
	const { log, gate, Step } = createSteps();
	const Early = defineTask<null, { phase: "only" }, string>({
		name: "test.early",
		version: 1,
		initial: () => ({ phase: "only" }),
		phases: {
			only: async (task, runtime, taskContext) => {
				await runtime.commit(async (tx) => {
					await tx.createTask(Step, { name: "owned" }, { ownership: { kind: "task", taskId: task.id } });
				}, taskContext);
				await runtime.commit(() => completed("early"), taskContext);
			},
		},
		abort: async (_task, runtime, taskContext) => runtime.commit(() => aborted, taskContext),
	});
	const { harness, root } = await openTestHarness(t, { tasks: [Step, Early] });
	const id = await create(root, Early, null);
	harness.resume();
	await until("the owned work runs", () => log.includes("owned runs"));
	await until("it is held", async () => (await harness.getTask(id, context))?.state.status === "completing");
	assert.deepEqual((await harness.inspect(context)).tasks.find(({ record }) => record.id === id)?.state, {
		kind: "completing",
	});
	await assert.rejects(
		create(root, Step, { name: "late" }, { ownership: { kind: "task", taskId: id } }),
		/can't belong to task \d+: it has finished/,
	);
	gate("owned").resolve("complete");
	assert.deepEqual(await outcomeOf(harness, id), { status: "completed", result: "early" });
});

test("a wait that could never end, or failFast on another's task, is refused and faults the task", async (t) => {
	const { Step, Parent, tasks } = createSteps();
	const { harness, root } = await openTestHarness(t, { tasks });
	const foreign = await create(root, Step, { name: "foreign" });
	const cases: [{ children: string[]; policy: JoinPolicy; on: TaskId[] }, RegExp][] = [
		[{ children: [], policy: "failFast", on: [foreign] }, /can only wait failFast for tasks it owns/],
		[{ children: [], policy: "allSettled", on: [9_999_999 as TaskId] }, /there is none/],
	];
	for (const [input, message] of cases) {
		const outcome = await outcomeOf(harness, await create(root, Parent, input));
		assert.equal(outcome.status, "faulted");
		assert.match(outcome.status === "faulted" ? outcome.error.message : "", message);
	}
	await harness.abortTask(foreign, context);
});

test("an empty wait resumes at once, and tasks that have ended don't hold one up", async (t) => {
	const { gate, Step, Parent, tasks } = createSteps();
	const { harness, root } = await openTestHarness(t, { tasks });
	const done = await create(root, Step, { name: "done" });
	gate("done").resolve("complete");
	await harness.waitForTask(done, context);
	const none = await create(root, Parent, { children: [], policy: "allSettled" });
	const over = await create(root, Parent, { children: [], policy: "allSettled", on: [done] });
	assert.equal((await outcomeOf(harness, none)).status, "completed");
	assert.equal((await outcomeOf(harness, over)).status, "completed");
});

test("a phase that throws, or returns without having stored anything new, faults its task", async (t) => {
	const { gate, Step, tasks } = createSteps();
	const { harness, root, reports } = await openTestHarness(t, { tasks });
	const one = await create(root, Step, { name: "one" });
	const two = await create(root, Step, { name: "two" });
	gate("one").resolve("throw");
	gate("two").resolve("nothing");
	assert.deepEqual(await outcomeOf(harness, one), { status: "faulted", error: { message: "one broke" } });
	assert.deepEqual(await outcomeOf(harness, two), {
		status: "faulted",
		error: { message: "The phase returned without durable progress" },
	});
	await until("both are reported", () => reports.length === 2);
	assert.match(String(reports[0]), /test\.step\) faulted: one broke/);
});

test("a handler that is over can't reach the harness any more", async (t) => {
	let leaked: TaskRuntime<null, { phase: "only" }, string, object> | undefined;
	const Leaky = defineTask<null, { phase: "only" }, string>({
		name: "test.leaky",
		version: 1,
		initial: () => ({ phase: "only" }),
		phases: {
			only: async (_task, runtime, taskContext) => {
				leaked = runtime;
				await runtime.commit(() => completed("x"), taskContext);
			},
		},
		abort: async () => {},
	});
	const { harness, root } = await openTestHarness(t, { tasks: [Leaky] });
	await outcomeOf(harness, await create(root, Leaky, null));
	await until("the invocation is over", () => leaked!.signal.aborted);
	await assert.rejects(
		leaked!.commit(() => {}, context),
		/isn't running any more|stopped/,
	);
	await assert.rejects(leaked!.memo("x", 1, context), /isn't running any more/);
	await assert.rejects(leaked!.conversation(root.id, context), /isn't running any more/);
	assert.throws(() => leaked!.show("x"), /isn't running any more/);
});

test("the first memo of a name wins, at once and later", async (t) => {
	const seen: unknown[] = [];
	const Deciding = defineTask<null, { phase: "one" } | { phase: "two" }, string>({
		name: "test.deciding",
		version: 1,
		initial: () => ({ phase: "one" }),
		phases: {
			one: async (_task, runtime, taskContext) => {
				seen.push(await runtime.memo("toString", taskContext));
				seen.push(await Promise.all([runtime.memo("k", 1, taskContext), runtime.memo("k", 2, taskContext)]));
				await runtime.commit(() => ({ status: "running", checkpoint: { phase: "two" } }), taskContext);
			},
			two: async (_task, runtime, taskContext) => {
				seen.push(await runtime.memo("k", 3, taskContext), await runtime.memo("k", taskContext));
				await runtime.commit(() => completed("x"), taskContext);
			},
		},
		abort: async () => {},
	});
	const { harness, root } = await openTestHarness(t, { tasks: [Deciding] });
	const record = await harness.waitForTask(await create(root, Deciding, null), context);
	assert.deepEqual(seen, [undefined, [1, 1], 1, 1]);
	assert.equal("memos" in record, false);
});

test("children live in their owner's conversation and can't be background", async (t) => {
	const { Step, tasks } = createSteps();
	const { harness, root } = await openTestHarness(t, { tasks });
	const other = await harness.createConversation({ ownership: { kind: "ownerless" } }, context);
	const owner = await create(root, Step, { name: "owner" });
	const ownership = { kind: "task", taskId: owner } as const;
	await assert.rejects(
		create(root, Step, { name: "x" }, { ownership, conversationId: other.id }),
		/must live in its owner's conversation/,
	);
	await assert.rejects(
		create(root, Step, { name: "x" }, { ownership, background: true }),
		/can't be background/,
	);
	await assert.rejects(
		create(root, Step, { name: "x" }, { ownership: { kind: "task", taskId: 9_999_999 as TaskId } }),
		/there is no such task/,
	);
	await assert.rejects(
		harness.commit(
			(tx) => tx.createTask(Step, { name: "x" }, { ownership: { kind: "conversation" } }),
			context,
		),
		/needs a conversationId/,
	);
	await harness.abortTask(owner, context);
	await assert.rejects(
		harness.commit((tx) => tx.createConversation({ ownership }), context),
		/it is being aborted|it has finished/,
	);
});

test("a task that ends while many others are being started stays as it ended", async (t) => {
	const { log, gate, Step } = createSteps();
	/** The first of many to be started ends the two tasks whose turn comes after all of them. */
	const Next = defineTask<{ after: TaskId }, { phase: "wait" | "go" }, string>({
		name: "test.next",
		version: 1,
		initial: () => ({ phase: "wait" }),
		phases: {
			wait: async (task, runtime, taskContext) =>
				runtime.commit(
					() => ({
						...{ status: "waiting", checkpoint: { phase: "go" } },
						...{ on: [task.input.after], policy: "allSettled" },
					}),
					taskContext,
				),
			go: async (_task, runtime, taskContext) => {
				gate("completing").resolve("complete");
				stopping ??= harness.abortTask(stopped, context);
				await runtime.commit(() => completed("next"), taskContext);
			},
		},
		abort: async (_task, runtime, taskContext) => runtime.commit(() => aborted, taskContext),
	});
	const { harness, root, reports } = await openTestHarness(t, { tasks: [Step, Next] });
	let stopping: Promise<unknown> | undefined;
	const after = await create(root, Step, { name: "first" });
	const many = await Promise.all(Array.from({ length: 40 }, () => create(root, Next, { after })));
	const completing = await create(root, Step, { name: "completing" });
	const stopped = await create(root, Step, { name: "stopped" });
	harness.resume();
	await until("all run or wait", async () => {
		const { tasks: live } = await harness.inspect(context);
		const running = ["first runs", "completing runs", "stopped runs"].every((line) => log.includes(line));
		return running && live.filter(({ state }) => state.kind === "waiting").length === many.length;
	});
	gate("first").resolve("complete");
	for (const id of many) assert.equal((await outcomeOf(harness, id)).status, "completed");
	await stopping;
	assert.deepEqual(await outcomeOf(harness, stopped), { status: "aborted" });
	assert.deepEqual((await harness.getTask(completing, context))?.state, completed("completing"));
	assert.deepEqual((await harness.inspect(context)).tasks, []);
	assert.deepEqual(reports, []);
});

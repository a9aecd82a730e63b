import assert from "node:assert/strict";
import { test } from "node:test";
import { InboxDoc } from "../harness/built-in-documents.ts";
import { context, openTestHarness } from "../testing/open-harness.ts";
import { aborted, childrenOf, completed, create, createSteps, failed, outcomeOf } from "../testing/steps.ts";
import { openStore } from "../testing/stores.ts";
import { until } from "../testing/until.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import { defineTask, type Task, type TaskRuntime } from "../types/tasks.ts";

type Only = { phase: "only" };
type Body = (id: TaskId, runtime: TaskRuntime<null, Only, string, object>) => Promise<void>;

/** A task of one phase, and what its abort does; it ends aborted when nothing is given. */
function single(name: string, run: Body, abort?: Body): Task<null, Only, string, object> {
	return defineTask<null, Only, string, object>({
		name,
		version: 1,
		initial: () => ({ phase: "only" }),
		phases: { only: (task, runtime) => run(task.id, runtime) },
		abort: (task, runtime) =>
			abort === undefined ? runtime.commit(() => aborted, context) : abort(task.id, runtime),
	});
}

/** Owns a conversation, and starts work there in the very commit that decides its own outcome. */
function holding(
	name: string,
	Step: ReturnType<typeof createSteps>["Step"],
	decided: ReturnType<typeof completed> | ReturnType<typeof failed>,
	abort?: Body,
): Task<null, Only, string, object> {
	return single(
		name,
		async (id, runtime) => {
			let owned: ConversationId | undefined;
			await runtime.commit(async (tx) => {
				owned = (await tx.createConversation({ ownership: { kind: "task", taskId: id } })).id;
			}, context);
			await runtime.commit(async (tx) => {
				const options = { ownership: { kind: "conversation" }, conversationId: owned! } as const;
				await tx.createTask(Step, { name: "below" }, options);
				return decided;
			}, context);
		},
		abort,
	);
}

const forever = (runtime: TaskRuntime<null, Only, string, object>) =>
	runtime.sleep(Number.POSITIVE_INFINITY, context);

test("work that the finishing commit itself creates holds the task; its result is decided all the same", async (t) => {
	const { gate, Step } = createSteps();
	const Finishing = holding("test.finishing", Step, completed("decided"));
	const { harness, root } = await openTestHarness(t, { tasks: [Step, Finishing] });
	const id = await create(root, Finishing, null);
	harness.resume();
	await until("it is held", async () => (await harness.getTask(id, context))?.state.status === "completing");
	gate("below").resolve("complete");
	assert.deepEqual(await outcomeOf(harness, id), { status: "completed", result: "decided" });
});

test("aborting a completing task marks it and ends the work below; its outcome stays and no handler runs", async (t) => {
	const { log, Step } = createSteps();
	let handlers = 0;
	const Held = holding("test.held", Step, completed("decided"), async () => void handlers++);
	const { harness, root } = await openTestHarness(t, { tasks: [Step, Held] });
	const id = await create(root, Held, null);
	harness.resume();
	await until("the work below runs", () => log.includes("below runs"));
	assert.equal(await harness.abortTask(id, context), "marked");
	assert.deepEqual(await outcomeOf(harness, id), { status: "completed", result: "decided" });
	assert.deepEqual([log, handlers], [["below runs", "below aborts"], 0]);
});

test("a wait and its failFast go on in the next process; a failure held there takes the work below with it", async (t) => {
	const { storage, reopen } = await openStore(t);
	const one = createSteps();
	const HeldBy = ({ Step }: ReturnType<typeof createSteps>, decided = failed("on purpose")) =>
		holding("test.held", Step, decided);
	const first = await openTestHarness(t, { storage, tasks: one.tasks, closes: false });
	const parent = await create(first.root, one.Parent, { children: ["a", "b"], policy: "failFast" });
	first.harness.resume();
	await until("its children run", () => one.log.includes("a runs") && one.log.includes("b runs"));
	await first.harness.close(context);

	const two = createSteps();
	const second = await openTestHarness(t, {
		storage: await reopen(),
		tasks: [...two.tasks, HeldBy(two)],
	});
	second.harness.resume();
	await until("its children run again", () => two.log.includes("a runs") && two.log.includes("b runs"));
	assert.ok(!two.log.includes("parent starts"), "the wait runs no code");
	two.gate("a").resolve("fail");
	assert.deepEqual(await outcomeOf(second.harness, parent), {
		status: "completed",
		result: "failed,aborted",
	});
	const held = await create(second.root, HeldBy(two), null);
	assert.deepEqual(await outcomeOf(second.harness, held), {
		status: "failed",
		error: { message: "on purpose" },
	});
	assert.ok(two.log.includes("below aborts"), "a failure takes the work below with it");
});

test("an abort handler must decide, can't wait and can't own anything new; what it needs it may start beside itself", async (t) => {
	const { gate, log, Step } = createSteps();
	const tries: string[] = [];
	const Silent = single(
		"test.silent",
		(_id, runtime) => forever(runtime),
		async () => {},
	);
	const Busy = single(
		"test.busy",
		(_id, runtime) => forever(runtime),
		async (id, runtime) => {
			const ownership = { kind: "task", taskId: id } as const;
			const attempt = (what: Promise<unknown>) =>
				what.catch((error: Error) => void tries.push(error.message.replace(/\d+/g, "N")));
			await attempt(
				runtime.commit(async (tx) => void (await tx.createTask(Step, { name: "x" }, { ownership })), context),
			);
			await attempt(runtime.commit(async (tx) => void (await tx.createConversation({ ownership })), context));
			await attempt(
				runtime.commit(
					() => ({ status: "waiting", checkpoint: { phase: "only" }, on: [], policy: "allSettled" }),
					context,
				),
			);
			let beside: TaskId<string> | undefined;
			await runtime.commit(async (tx) => {
				const options = { ownership: { kind: "conversation" }, background: true } as const;
				beside = await tx.createTask(Step, { name: "beside" }, options);
			}, context);
			await runtime.waitForTask(beside!, context);
			await runtime.commit(() => aborted, context);
		},
	);
	const { harness, root } = await openTestHarness(t, { tasks: [Step, Silent, Busy] });
	const silent = await create(root, Silent, null);
	const busy = await create(root, Busy, null);
	await harness.abortTask(silent, context);
	await harness.abortTask(busy, context);
	assert.deepEqual(await outcomeOf(harness, silent), {
		status: "faulted",
		error: { message: "The abort handler returned without an outcome" },
	});
	await until("it waits for what it started", () => log.includes("beside runs"));
	gate("beside").resolve("complete");
	assert.equal((await outcomeOf(harness, busy)).status, "aborted");
	assert.equal(tries.length, 3);
	for (const message of tries.slice(0, 2)) assert.match(message, /it is being aborted/);
	assert.match(tries[2]!, /an abort handler can't wait/);
});

test("a background task aborted directly takes what it owns with it; one inside it stays", async (t) => {
	const { log, gate, Step } = createSteps();
	const Outer = single("test.outer", async (id, runtime) => {
		await runtime.commit(async (tx) => {
			const { id: inner } = await tx.createConversation({ ownership: { kind: "task", taskId: id } });
			const at = { ownership: { kind: "conversation" }, conversationId: inner } as const;
			await tx.createTask(Step, { name: "plain" }, at);
			await tx.createTask(Step, { name: "background" }, { ...at, background: true });
		}, context);
		await forever(runtime);
	});
	const { harness, root } = await openTestHarness(t, { tasks: [Step, Outer] });
	const id = await create(root, Outer, null, { ownership: { kind: "conversation" }, background: true });
	harness.resume();
	await until("both run", () => log.includes("plain runs") && log.includes("background runs"));
	await harness.abortTask(id, context);
	assert.deepEqual(await outcomeOf(harness, id), { status: "aborted" });
	assert.deepEqual(
		log.filter((line) => line.endsWith("aborts")),
		["plain aborts"],
	);
	gate("background").resolve("complete");
	await until("nothing is left", async () => (await harness.inspect(context)).tasks.length === 0);
});

test("an abort reaches through owners that have ended: what was begun there later stops, and its queue is taken back", async (t) => {
	const { log, Step } = createSteps();
	const made: ConversationId[] = [];
	/** Ends at once and leaves a conversation behind, as a finished subagent does. */
	const Past = single("test.past", async (id, runtime) => {
		await runtime.commit(async (tx) => {
			made.push((await tx.createConversation({ ownership: { kind: "task", taskId: id } })).id);
		}, context);
		await runtime.commit(() => completed("gone"), context);
	});
	const Outer = single("test.outer", async (id, runtime) => {
		await runtime.commit(async (tx) => {
			await tx.createTask(Past, null, { ownership: { kind: "task", taskId: id } });
		}, context);
		await forever(runtime);
	});
	const { harness, root } = await openTestHarness(t, { tasks: [Step, Past, Outer] });
	const id = await create(root, Outer, null);
	harness.resume();
	await until("the one that ends has ended", async () => {
		const [child] = await childrenOf(harness, id);
		const record = child === undefined ? undefined : await harness.getTask(child, context);
		return record?.owner === id && record.state.status === "terminal";
	});
	const left = (await harness.conversation(made[0]!, context))!;
	await create(left, Step, { name: "later" });
	await until("the later work runs", () => log.includes("later runs"));
	const queued = await left.commit(
		(tx) => tx.createSubmission({ conversationId: left.id, type: "input", status: "queued" }),
		context,
	);
	await left.commit(async (tx) => {
		(await tx.doc(InboxDoc, left.id)).items.push({
			id: queued.id,
			mode: "followUp",
			content: "still there?",
		} as never);
	}, context);
	await harness.abortTask(id, context);
	assert.deepEqual(await outcomeOf(harness, id), { status: "aborted" });
	assert.ok(log.includes("later aborts"));
	const record = await (await harness.submission(queued.id, context))!.status(context);
	assert.deepEqual([record.status, record.reason], ["unanswered", "aborted"]);
});

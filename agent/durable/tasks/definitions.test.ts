import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { defineExtension } from "../harness/registry.ts";
import { context, openTestHarness } from "../testing/open-harness.ts";
import { aborted, completed, create } from "../testing/steps.ts";
import { openStore } from "../testing/stores.ts";
import { turns, until } from "../testing/until.ts";
import { defineDoc } from "../types/documents.ts";
import type { TaskId } from "../types/ids.ts";
import { defineTask } from "../types/tasks.ts";

const Scratch = defineDoc<{ n: number }>({
	kind: "test.scratch",
	version: 1,
	scope: "task",
	initial: () => ({ n: 0 }),
});

/** The task as its first version was: it keeps a name. */
const Old = defineTask<{ name: string }, { phase: "first" }, string>({
	name: "test.versioned",
	version: 1,
	initial: () => ({ phase: "first" }),
	phases: {
		first: async (task, runtime, taskContext) => {
			await runtime.commit(() => completed(`old ${task.input.name}`), taskContext);
		},
	},
	abort: async (_task, runtime, taskContext) => runtime.commit(() => aborted, taskContext),
});

function newer(migrate?: (input: unknown, checkpoint: unknown, from: number) => never) {
	return defineTask<{ fullName: string }, { phase: "second"; from: number }, string>({
		name: "test.versioned",
		version: 2,
		initial: () => ({ phase: "second", from: 0 }),
		phases: {
			second: async (task, runtime, taskContext) => {
				const { from } = task.state.checkpoint;
				await runtime.commit(() => completed(`new ${task.input.fullName}, from ${from}`), taskContext);
			},
		},
		abort: async (_task, runtime, taskContext) => {
			await runtime.commit(
				() => ({ status: "terminal", outcome: { status: "aborted", reason: "new" } }),
				taskContext,
			);
		},
		...(migrate === undefined ? {} : { migrate }),
	});
}

const migrates = newer(((input: { name: string }, _checkpoint: unknown, from: number) => ({
	input: { fullName: input.name },
	checkpoint: { phase: "second", from },
})) as never);

/** A store that holds one pending task of the old version, made by a process that is gone. */
async function leaveOldTask(t: TestContext) {
	const { storage, reopen } = await openStore(t);
	const { harness, root } = await openTestHarness(t, { storage, tasks: [Old], closes: false });
	const id = await create(root, Old, { name: "Ada" });
	await harness.commit(async (tx) => {
		(await tx.doc(Scratch, id)).n = 1;
	}, context);
	await harness.close(context);
	return { id, reopen };
}

function stateOf(harness: Awaited<ReturnType<typeof openTestHarness>>["harness"], id: TaskId) {
	return harness.inspect(context).then(({ tasks }) => tasks.find(({ record }) => record.id === id)?.state);
}

test("a task of an older version is migrated in the commit that starts it", async (t) => {
	const { id, reopen } = await leaveOldTask(t);
	const { harness } = await openTestHarness(t, { storage: await reopen(), tasks: [migrates] });
	assert.deepEqual(await stateOf(harness, id), { kind: "ready", migrates: true });
	assert.equal((await harness.getTask(id, context))?.version, 1);
	const record = await harness.waitForTask(id, context);
	assert.deepEqual(record.state.outcome, { status: "completed", result: "new Ada, from 1" });
	assert.equal(record.version, 2);
	assert.deepEqual(record.input, { fullName: "Ada" });
});

test("a task without code waits, unchanged, until its code is installed", async (t) => {
	const { id, reopen } = await leaveOldTask(t);
	const { harness, registry, root } = await openTestHarness(t, { storage: await reopen() });
	const before = await harness.getTask(id, context);
	harness.resume();
	await turns();
	assert.deepEqual(await stateOf(harness, id), { kind: "blocked", reason: "missing_task" });
	assert.deepEqual(await harness.getTask(id, context), before);
	const idle = root.waitForIdle(context);
	registry.install(defineExtension({ name: "late", tasks: [Old] }));
	assert.deepEqual((await harness.waitForTask(id, context)).state.outcome, {
		status: "completed",
		result: "old Ada",
	});
	await idle;
});

test("a task of a newer version than the code waits too", async (t) => {
	const { storage, reopen } = await openStore(t);
	const first = await openTestHarness(t, { storage, tasks: [migrates], closes: false });
	const id = await create(first.root, migrates, { fullName: "Ada" });
	await first.harness.close(context);
	const { harness } = await openTestHarness(t, { storage: await reopen(), tasks: [Old] });
	harness.resume();
	await turns();
	assert.deepEqual(await stateOf(harness, id), { kind: "blocked", reason: "task_too_old" });
});

test("a migration that fails is reported once and tried again only with other code", async (t) => {
	const { id, reopen } = await leaveOldTask(t);
	const broken = newer(() => {
		throw new Error("can't read it");
	});
	const { harness, registry, reports } = await openTestHarness(t, {
		storage: await reopen(),
		tasks: [broken],
	});
	harness.resume();
	const blocked = await until("it is blocked", async () => {
		const state = await stateOf(harness, id);
		return state?.kind === "blocked" ? state : undefined;
	});
	assert.equal(blocked.reason, "migration_failed");
	assert.match(String(blocked.error), /can't read it/);
	registry.install(defineExtension({ name: "other" }));
	await turns();
	assert.equal(reports.length, 1);
	registry.install(defineExtension({ name: "test-tasks", tasks: [migrates] }));
	const { outcome } = (await harness.waitForTask(id, context)).state;
	assert.deepEqual(outcome, { status: "completed", result: "new Ada, from 1" });
});

test("aborting a task that no code can take orphans it: its documents end, its record says why", async (t) => {
	for (const resumes of [true, false]) {
		const { id, reopen } = await leaveOldTask(t);
		const { harness } = await openTestHarness(t, { storage: await reopen() });
		if (resumes) harness.resume();
		assert.equal(await harness.abortTask(id, context), "marked");
		const record = await harness.getTask(id, context);
		assert.deepEqual(record?.state, {
			status: "terminal",
			outcome: { status: "orphaned", reason: "missing_task" },
		});
		assert.equal(record?.abortRequested, true);
		assert.equal(await harness.snapshot(Scratch, id, context), undefined);
	}
});

test("aborting a task that newer code can take runs the new abort handler", async (t) => {
	const { id, reopen } = await leaveOldTask(t);
	const { harness } = await openTestHarness(t, { storage: await reopen(), tasks: [migrates] });
	await harness.abortTask(id, context);
	assert.deepEqual((await harness.waitForTask(id, context)).state.outcome, {
		status: "aborted",
		reason: "new",
	});
});

test("aborting a task whose migration fails orphans it", async (t) => {
	const { id, reopen } = await leaveOldTask(t);
	const { harness } = await openTestHarness(t, { storage: await reopen(), tasks: [newer()] });
	await harness.abortTask(id, context);
	assert.deepEqual((await harness.waitForTask(id, context)).state.outcome, {
		status: "orphaned",
		reason: "migration_failed",
	});
});

import assert from "node:assert/strict";
import type { TaskQuery } from "../../types/storage.ts";
import { context, type Fixture, type Group, ids, readAll, task } from "./fixture.ts";

export const tasks: Group = (it) => {
	it("replaces a task's record whole", async (f) => {
		const { id } = await f.transcript(0);
		const pending = await f.task(id, { memos: { choice: 1 } });
		await f.commit(task(pending));
		assert.deepEqual(await f.storage.task(pending.id, context), pending);
		const { memos: _, ...rest } = pending;
		const state = { status: "terminal", outcome: { status: "completed", result: { ok: true } } } as const;
		const done = { ...rest, state, startedAt: 5, endedAt: 6 };
		await f.commit(task(done));
		assert.deepEqual(await f.storage.task(pending.id, context), done);
		assert.equal(await f.storage.task(await f.mint(), context), undefined);
	});

	it("finds tasks by every field of a query, alone and together", async (f) => {
		const all = await assortment(f);
		const values = {
			conversationId: [undefined, ...new Set(all.map((t) => t.conversationId))],
			kind: [undefined, "work", "other"],
			status: [undefined, "pending", "running", "waiting", "completing", "terminal"],
			abortRequested: [undefined, true, false],
			background: [undefined, true, false],
		} as const;
		for (const conversationId of values.conversationId)
			for (const kind of values.kind)
				for (const status of values.status)
					for (const abortRequested of values.abortRequested)
						for (const background of values.background) {
							const query: TaskQuery = { conversationId, kind, status, abortRequested, background };
							const expected = all.filter(
								(t) =>
									(conversationId ?? t.conversationId) === t.conversationId &&
									(kind ?? t.kind) === t.kind &&
									(status ?? t.state.status) === t.state.status &&
									(abortRequested ?? t.abortRequested) === t.abortRequested &&
									(background ?? t.background) === t.background,
							);
							const { items } = await f.storage.scanTasks(query, 1_000, undefined, context);
							assert.deepEqual(ids(items), ids(expected), JSON.stringify(query));
						}
	});

	it("pages in both orders, oldest first by default", async (f) => {
		const all = (await assortment(f)).filter((t) => t.kind === "work");
		for (const order of [undefined, "ascending", "descending"] as const) {
			const read = await readAll(7, (cursor) =>
				f.storage.scanTasks({ kind: "work", order }, 7, cursor, context),
			);
			assert.deepEqual(read, order === "descending" ? all.toReversed() : all);
		}
		const { next } = await f.storage.scanTasks({ order: "descending" }, 1, undefined, context);
		await assert.rejects(f.storage.scanTasks({ order: "ascending" }, 1, next, context), /order/);
	});
};

async function assortment(f: Fixture) {
	const [a, b] = [await f.transcript(0), await f.transcript(0)];
	const all = [];
	const states = [
		{ status: "pending", checkpoint: {} },
		{ status: "running", checkpoint: {} },
		{ status: "waiting", checkpoint: {}, on: [], policy: "failFast" },
		{ status: "completing", outcome: { status: "completed", result: 1 } },
		{ status: "terminal", outcome: { status: "aborted" } },
	];
	for (const conversationId of [a.id, b.id])
		for (const kind of ["work", "other"])
			for (const state of states)
				for (const abortRequested of [false, true])
					all.push(
						await f.task(conversationId, { kind, state, abortRequested, background: all.length % 3 === 0 }),
					);
	await f.commit(...all.map(task));
	return all;
}

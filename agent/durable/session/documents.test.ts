import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { systemClock } from "../clock.ts";
import { ReadAfterWrite } from "../errors.ts";
import { openTestSession, Work } from "../testing/open-session.ts";
import { openStore, STORES } from "../testing/stores.ts";
import { defineDoc, defineDocFamily } from "../types/documents.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import type { Tx } from "../types/session.ts";
import { openSession, type SessionCore } from "./session.ts";
import type { InternalTx } from "./transaction.ts";

const Counter = defineDoc<{ n: number; label?: string }>({
	kind: "test.counter",
	version: 1,
	scope: "session",
	initial: () => ({ n: 0 }),
});
const Notes = defineDocFamily<{ text: string }, string>({
	kind: "test.notes",
	version: 1,
	family: true,
	scope: "session",
	initial: (seed) => ({ text: seed }),
});
const TaskState = defineDoc<{ done: number }>({
	kind: "test.task-state",
	version: 1,
	scope: "task",
	initial: () => ({ done: 0 }),
});
const History = defineDoc<{ value: string }>({
	kind: "test.history",
	version: 1,
	scope: "conversation",
	history: "rewindable",
	fork: "asOf",
	initial: () => ({ value: "first" }),
});

/** A commit with the harness's own rights, which may end a task. */
function endTask(session: SessionCore, id: TaskId, also?: (tx: InternalTx) => Promise<void>): Promise<void> {
	return session.commitInternal(async (tx) => {
		const record = (await tx.task(id))!;
		await also?.(tx);
		const state = { status: "terminal", outcome: { status: "completed", result: null } } as const;
		tx.replaceTask({ ...record, state } as never);
	}, context);
}

async function newTask(session: SessionCore): Promise<{ conversationId: ConversationId; taskId: TaskId }> {
	return session.commit(async (tx) => {
		const { id } = await tx.createConversation({ ownership: { kind: "ownerless" } });
		const taskId = await tx.createTask(Work, null, {
			ownership: { kind: "conversation" },
			conversationId: id,
		});
		return { conversationId: id, taskId };
	}, context);
}

for (const { name, open } of STORES)
	describe(`documents in ${name}`, () => {
		const on = (promise: string, run: (session: SessionCore, t: TestContext) => Promise<void>) =>
			test(promise, async (t) => run(openTestSession(t, await open(t)), t));

		on("the first access in a commit creates a document, reading one never does", async (session) => {
			assert.equal(await session.snapshot(Counter, context), undefined);
			await session.commit(async (tx) => void (await tx.doc(Counter)), context);
			assert.deepEqual(await session.snapshot(Counter, context), { n: 0 });
		});

		on("every access in one commit is to the same draft", async (session) => {
			await session.commit(async (tx) => {
				const [one, two] = await Promise.all([tx.doc(Counter), tx.doc(Counter)]);
				one.n++;
				two.n++;
				assert.equal((await tx.doc(Counter)).n, 2);
			}, context);
			assert.deepEqual(await session.snapshot(Counter, context), { n: 2 });
		});

		on("a commit that throws stores nothing of what it changed", async (session) => {
			await session.commit(async (tx) => void (await tx.doc(Counter)), context);
			const failing = session.commit(async (tx) => {
				(await tx.doc(Counter)).n = 7;
				await tx.createConversation({ ownership: { kind: "ownerless" } });
				throw new Error("no");
			}, context);
			await assert.rejects(failing, /^Error: no$/);
			assert.deepEqual(await session.snapshot(Counter, context), { n: 0 });
			assert.deepEqual((await session.storage.scanConversations({}, 10, undefined, context)).items, []);
		});

		on("a family has one document per key; the first access gives its seed", async (session) => {
			await session.commit(async (tx) => {
				await tx.doc(Notes, "a", "one");
				(await tx.doc(Notes, "a", "ignored")).text += "!";
				await tx.doc(Notes, "b", "two");
			}, context);
			await session.commit(async (tx) => void (await tx.doc(Notes, "a", "ignored too")), context);
			assert.deepEqual(await session.snapshot(Notes, "a", context), { text: "one!" });
			assert.deepEqual(await session.snapshot(Notes, "b", context), { text: "two" });
			assert.equal(await session.snapshot(Notes, "c", context), undefined);
		});

		on("a retired document is gone, and the next access makes a new one", async (session) => {
			await session.commit(async (tx) => {
				(await tx.doc(Counter)).n = 5;
			}, context);
			await session.commit((tx) => tx.retireDoc(Counter), context);
			assert.equal(await session.snapshot(Counter, context), undefined);
			await session.commit((tx) => tx.retireDoc(Counter), context);
			await session.commit(async (tx) => void (await tx.doc(Counter)), context);
			assert.deepEqual(await session.snapshot(Counter, context), { n: 0 });
		});

		on("one commit may retire a document and start it anew", async (session) => {
			await session.commit(async (tx) => {
				(await tx.doc(Counter)).n = 5;
			}, context);
			await session.commit(async (tx) => {
				await tx.retireDoc(Counter);
				const fresh = await tx.doc(Counter);
				assert.equal(fresh.n, 0);
				fresh.n = 1;
			}, context);
			assert.deepEqual(await session.snapshot(Counter, context), { n: 1 });
		});

		on("a task's documents end with the task, and it can't get new ones", async (session) => {
			const { taskId } = await newTask(session);
			await session.commit(async (tx) => {
				(await tx.doc(TaskState, taskId)).done = 1;
			}, context);
			assert.deepEqual(await session.snapshot(TaskState, taskId, context), { done: 1 });
			await endTask(session, taskId, async (tx) => {
				(await tx.doc(TaskState, taskId)).done = 2;
			});
			assert.equal(await session.snapshot(TaskState, taskId, context), undefined);
			const late = session.commit((tx) => tx.doc(TaskState, taskId), context);
			await assert.rejects(late, /task \d+ has ended/);
		});

		on(
			"a task's document that was not touched in its last commit ends too, and watchers hear of it",
			async (session) => {
				const { taskId } = await newTask(session);
				await session.commit(async (tx) => void (await tx.doc(TaskState, taskId)), context);
				const watch = (await session.watchDoc(TaskState, taskId, context))!;
				const seen: unknown[] = [];
				watch.start(async (value, ops) => void seen.push([value, ops]));
				await endTask(session, taskId);
				assert.deepEqual(await watch.closed, { reason: "retired" });
				assert.deepEqual(seen, [[null, [["r", null]]]]);
				assert.equal(await session.snapshot(TaskState, taskId, context), undefined);
			},
		);

		on("a document made and ended in the commit that ends its task leaves no trace", async (session) => {
			const { taskId } = await newTask(session);
			await endTask(session, taskId, async (tx) => void (await tx.doc(TaskState, taskId)));
			assert.equal(await session.snapshot(TaskState, taskId, context), undefined);
		});

		on("drafts and the transaction are dead once the callback has returned", async (session) => {
			let draft: { n: number } | undefined;
			let escaped: InternalTx | undefined;
			await session.commitInternal(async (tx) => {
				escaped = tx;
				draft = await tx.doc(Counter);
			}, context);
			assert.throws(() => draft!.n, /The commit is over/);
			assert.throws(() => {
				draft!.n = 9;
			}, /The commit is over/);
			await assert.rejects(escaped!.doc(Counter), /The commit is over/);
			await assert.rejects(
				escaped!.createConversation({ ownership: { kind: "ownerless" } }),
				/The commit is over/,
			);
			assert.throws(
				() => escaped!.settleSubmission(1 as never, { status: "unanswered", reason: "x" }),
				/over/,
			);
			assert.deepEqual(await session.snapshot(Counter, context), { n: 0 });
		});

		on(
			"a step that is forgotten, of whatever kind, fails the commit and not the process",
			async (session) => {
				const { conversationId } = await newTask(session);
				const steps: ((tx: Tx) => unknown)[] = [
					(tx) => tx.doc(Counter),
					(tx) => tx.retireDoc(Counter),
					(tx) => tx.appendEntry(conversationId, { kind: "test.note" }),
					(tx) => tx.createConversation({ ownership: { kind: "ownerless" } }),
					(tx) => tx.createTask(Work, null, { ownership: { kind: "conversation" }, conversationId }),
				];
				for (const forget of steps) {
					const forgotten = session.commit((tx) => void forget(tx), context);
					await assert.rejects(forgotten, /was still under way when its callback returned; await it/);
				}
				assert.equal(
					(await session.storage.scanEntries({ conversationId }, 9, undefined, context)).items.length,
					0,
				);
				assert.equal(await session.snapshot(Counter, context), undefined);
				await session.commit(async (tx) => {
					(await tx.doc(Counter)).n = 1;
				}, context);
				assert.deepEqual(await session.snapshot(Counter, context), { n: 1 });
			},
		);

		on("a value JSON can't hold fails where it is assigned, and the commit may go on", async (session) => {
			await session.commit(async (tx) => {
				const counter = await tx.doc(Counter);
				assert.throws(() => {
					counter.n = Number.NaN;
				}, TypeError);
				counter.label = "kept";
			}, context);
			assert.deepEqual(await session.snapshot(Counter, context), { n: 0, label: "kept" });
			const Bad = defineDoc({
				kind: "test.bad",
				version: 1,
				scope: "session",
				initial: () => ({ at: new Date() as never }),
			});
			await assert.rejects(
				session.commit((tx) => tx.doc(Bad), context),
				/test\.bad\.at is an object of a class/,
			);
		});

		on("table reads come before the first table write; documents may be used throughout", async (session) => {
			const { conversationId, taskId } = await newTask(session);
			await session.commit(async (tx) => {
				assert.equal((await tx.task(taskId))?.id, taskId);
				await tx.appendEntry(conversationId, { kind: "test.note" });
				const reads: (() => Promise<unknown>)[] = [
					() => tx.task(taskId),
					() => tx.conversation(conversationId),
					() => tx.entry(1 as never),
					() => tx.submission(1 as never),
					() => tx.scanTasks({}, 1),
					() => tx.scanEntries({ conversationId }, 1),
					() => tx.scanConversations({}, 1),
					() => tx.submissionByRequest(conversationId, "x"),
					() => tx.latestHeadMarker(conversationId),
				];
				for (const read of reads) await assert.rejects(read(), ReadAfterWrite);
				(await tx.doc(Counter)).n = 3;
			}, context);
			assert.deepEqual(await session.snapshot(Counter, context), { n: 3 });
		});

		on("a definition that would keep a stored document otherwise is refused", async (session) => {
			const { conversationId } = await newTask(session);
			await session.commit(async (tx) => void (await tx.doc(History, conversationId)), context);
			const other = defineDoc<{ value: string }>({
				kind: "test.history",
				version: 1,
				scope: "conversation",
				history: "latest",
				fork: "current",
				initial: () => ({ value: "" }),
			});
			await assert.rejects(
				session.commit((tx) => tx.doc(other, conversationId), context),
				/stored with another scope, history or fork policy/,
			);
			await assert.rejects(session.snapshot(other, conversationId, context), TypeError);
		});

		on("a rewindable document is read as it was at an entry", async (session) => {
			const { conversationId } = await newTask(session);
			const at = (value: string) =>
				session.commit(async (tx) => {
					(await tx.doc(History, conversationId)).value = value;
					return (await tx.appendEntry(conversationId, { kind: "test.note" })).id;
				}, context);
			const early = await session.commit(
				async (tx) => (await tx.appendEntry(conversationId, { kind: "test.note" })).id,
				context,
			);
			const first = await at("one");
			const second = await at("two");
			const asOf = (id: typeof first) => session.snapshotAsOf(History, conversationId, id, context);
			assert.equal(await asOf(early), undefined);
			assert.deepEqual(await asOf(first), { value: "one" });
			assert.deepEqual(await asOf(second), { value: "two" });
			await assert.rejects(asOf(9_999_999 as never), /isn't part of conversation/);
			await assert.rejects(
				session.snapshotAsOf(Counter as never, conversationId, first, context),
				/isn't rewindable/,
			);
		});

		on(
			"a fork starts with its parent's documents as its policies say, also when the same commit changes them",
			async (session) => {
				const { conversationId } = await newTask(session);
				const entry = await session.commit(async (tx) => {
					(await tx.doc(History, conversationId)).value = "at the entry";
					return (await tx.appendEntry(conversationId, { kind: "test.note" })).id;
				}, context);
				await session.commit(async (tx) => {
					(await tx.doc(History, conversationId)).value = "later";
				}, context);
				const fork = (edit: boolean) =>
					session.commit(async (tx) => {
						const { id } = await tx.forkConversation(conversationId, entry, {
							ownership: { kind: "ownerless" },
						});
						if (edit) (await tx.doc(History, id)).value += ", and on";
						return id;
					}, context);
				const plain = await fork(false);
				const edited = await fork(true);
				assert.deepEqual(await session.snapshot(History, plain, context), { value: "at the entry" });
				assert.deepEqual(await session.snapshot(History, edited, context), { value: "at the entry, and on" });
				assert.deepEqual(await session.snapshot(History, conversationId, context), { value: "later" });
				await assert.rejects(
					session.commit(
						(tx) => tx.forkConversation(plain, 9_999_999 as never, { ownership: { kind: "ownerless" } }),
						context,
					),
					/isn't part of conversation/,
				);
			},
		);
	});

test("a newer definition migrates what is stored: in memory for readers, in the store with the next commit", async (t) => {
	const { storage, reopen } = await openStore(t);
	const session = openSession(storage, systemClock, {});
	await session.commit(async (tx) => {
		(await tx.doc(Counter)).n = 4;
	}, context);
	await session.close(context);

	const Newer = defineDoc<{ count: number }>({
		kind: "test.counter",
		version: 3,
		scope: "session",
		initial: () => ({ count: 0 }),
		migrate: (value, from) => ({ count: (value.n as number) * 10 + from }),
	});
	const next = openTestSession(t, await reopen());
	assert.deepEqual(await next.snapshot(Newer, context), { count: 41 });
	assert.deepEqual(await next.snapshot(Counter, context), { n: 4 });
	const watch = (await next.watchDoc(Newer, context))!;
	let changes = 0;
	next.subscribeCommits(({ documents }) => {
		changes += documents.length;
	});
	await next.commit(async (tx) => void (await tx.doc(Newer)), context);
	assert.equal(changes, 0, "an equal value is no change to watchers");
	await watch.stop();
	await assert.rejects(
		next.snapshot(Counter, context),
		/stored by a newer version \(3; this program knows 1\)/,
	);
	const NoWay = defineDoc<{ x: number }>({
		kind: "test.counter",
		version: 4,
		scope: "session",
		initial: () => ({ x: 0 }),
	});
	await assert.rejects(next.snapshot(NoWay, context), /it has no migrate\(\)/);
});

test("a definition decides when its whole value is stored, and a reopened store gives the newest value", async (t) => {
	const asked: number[] = [];
	const Often = defineDoc<{ n: number }>({
		kind: "test.often",
		version: 1,
		scope: "session",
		initial: () => ({ n: 0 }),
		checkpointWhen: (_value, _ops, { deltasSinceBase }) => {
			asked.push(deltasSinceBase);
			return deltasSinceBase >= 2;
		},
	});
	const { storage, reopen } = await openStore(t);
	const session = openSession(storage, systemClock, {});
	for (let n = 1; n <= 6; n++)
		await session.commit(async (tx) => {
			(await tx.doc(Often)).n = n;
		}, context);
	await session.close(context);
	assert.deepEqual(asked, [0, 1, 2, 0, 1]);
	const next = openTestSession(t, await reopen());
	assert.deepEqual(await next.snapshot(Often, context), { n: 6 });
	await next.commit(async (tx) => {
		(await tx.doc(Often)).n = 7;
	}, context);
	assert.equal(asked.at(-1), 2, "the count of deltas goes on from the store");
});

test("a document's version is a positive integer, and only a rewindable one forks as of an entry", () => {
	const base = { kind: "test.x", scope: "session", initial: () => ({}) } as const;
	assert.throws(() => defineDoc({ ...base, version: 0 }), TypeError);
	assert.throws(() => defineDoc({ ...base, version: 1.5 }), TypeError);
	assert.throws(
		() =>
			defineDoc({
				kind: "test.x",
				version: 1,
				scope: "conversation",
				history: "latest",
				fork: "asOf" as never,
				initial: () => ({}),
			}),
		/fork "asOf" needs history "rewindable"/,
	);
});

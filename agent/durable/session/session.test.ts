import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { BACKGROUND_CONTEXT as context, withCancel } from "@earendil-works/chord/context";
import { systemClock } from "../clock.ts";
import { SessionClosed, SessionPoisoned, StorageFull, StorageRejected } from "../errors.ts";
import { MemoryStorage } from "../storage/memory.ts";
import { createFaultyStorage } from "../testing/faulty-storage.ts";
import { openStore } from "../testing/stores.ts";
import { turns, until } from "../testing/until.ts";
import { defineDoc, defineDocFamily } from "../types/documents.ts";
import type { CommitPublication } from "../types/session.ts";
import { openSession } from "./session.ts";

const Counter = defineDoc<{ n: number }>({
	kind: "test.counter",
	version: 1,
	scope: "session",
	initial: () => ({ n: 0 }),
});
const Families = defineDocFamily<{ n: number }, number>({
	kind: "test.family",
	version: 1,
	family: true,
	scope: "session",
	initial: (n) => ({ n }),
});

function open(t: TestContext) {
	const faulty = createFaultyStorage(new MemoryStorage());
	const session = openSession(faulty.storage, systemClock, {});
	t.after(() => session.close(context));
	return { session, faulty };
}

function count(session: ReturnType<typeof openSession>): Promise<number> {
	return session.commit(async (tx) => {
		const counter = await tx.doc(Counter);
		counter.n++;
		return counter.n;
	}, context);
}

test("a commit is atomic over entries, documents, tasks and submissions", async (t) => {
	const { storage, reopen } = await openStore(t);
	const session = openSession(storage, systemClock, {});
	const publications: CommitPublication[] = [];
	session.subscribeCommits((publication) => void publications.push(publication));
	const conversationId = await session.commit(async (tx) => {
		const { id } = await tx.createConversation({ ownership: { kind: "ownerless" } });
		await tx.appendEntry(id, { kind: "test.note", data: "one" });
		await tx.createSubmission({ conversationId: id, type: "write", status: "queued" });
		(await tx.doc(Counter)).n = 1;
		return id;
	}, context);
	assert.equal(publications.length, 1);
	const [publication] = publications;
	assert.deepEqual(
		[publication!.conversations.length, publication!.entries.length, publication!.submissions.length],
		[1, 1, 1],
	);
	assert.deepEqual(publication!.documents[0]?.value, { n: 1 });
	await assert.rejects(
		session.commit(async (tx) => {
			await tx.appendEntry(conversationId, { kind: "test.note", data: "two" });
			(await tx.doc(Counter)).n = 2;
			tx.settleSubmission(9_999_999 as never, { status: "unanswered", reason: "x" });
		}, context),
		/Submission 9999999 doesn't exist/,
	);
	assert.equal(publications.length, 1, "nothing is shown of a commit that failed");
	await session.close(context);
	const next = openSession(await reopen(), systemClock, {});
	t.after(() => next.close(context));
	assert.deepEqual(await next.snapshot(Counter, context), { n: 1 });
	const { items } = await next.storage.scanEntries({ conversationId }, 10, undefined, context);
	assert.deepEqual(
		items.map(({ data }) => data),
		["one"],
	);
});

test("commits run one after the other, each seeing the ones before it", async (t) => {
	const { session } = open(t);
	const results = await Promise.all(Array.from({ length: 50 }, () => count(session)));
	assert.deepEqual(
		results,
		Array.from({ length: 50 }, (_, index) => index + 1),
	);
});

test("nothing is shown to anyone before its commit is stored", async (t) => {
	const { session, faulty } = open(t);
	await count(session);
	const seen: number[] = [];
	const watch = (await session.watchDoc(Counter, context))!;
	watch.start(async (value) => void seen.push(value!.n));
	session.subscribeCommits(() => void seen.push(-1));
	faulty.beforeCommit = () => {
		assert.deepEqual(seen, []);
		return undefined;
	};
	await count(session);
	await until("the change", () => seen.includes(2));
});

test("a commit that changes nothing stores nothing and tells nobody", async (t) => {
	const { session, faulty } = open(t);
	await count(session);
	const { commits } = faulty;
	session.subscribeCommits(() => assert.fail("told of a commit without changes"));
	await session.commit(async (tx) => void (await tx.doc(Counter)).n, context);
	await session.commit(() => {}, context);
	assert.equal(faulty.commits, commits);
});

test("a commit whose context is cancelled before its turn does nothing; afterwards it settles", async (t) => {
	const { session } = open(t);
	const { context: cancelled, cancel } = withCancel(context);
	cancel(new Error("not wanted"));
	await assert.rejects(
		session.commit(() => assert.fail("ran"), cancelled),
		/not wanted/,
	);
	const { context: midway, cancel: cancelMidway } = withCancel(context);
	await session.commit(async (tx) => {
		(await tx.doc(Counter)).n = 1;
		cancelMidway();
	}, midway);
	assert.deepEqual(await session.snapshot(Counter, context), { n: 1 });
});

describe("when the store fails", () => {
	test("a refusal rolls back, and the session goes on", async (t) => {
		const { session, faulty } = open(t);
		await count(session);
		for (const refusal of [new StorageRejected("no"), new StorageFull("full")]) {
			faulty.beforeCommit = () => refusal;
			await assert.rejects(count(session), (error) => error === refusal);
			faulty.beforeCommit = undefined;
		}
		assert.deepEqual(await session.snapshot(Counter, context), { n: 1 });
		assert.equal(await count(session), 2);
	});

	test("an uncertain failure is the end: nothing more is shown, and every operation says so", async (t) => {
		const { session, faulty } = open(t);
		await count(session);
		const watch = (await session.watchDoc(Counter, context))!;
		const state = (await session.documentState(Counter, context))!;
		watch.start(async () => assert.fail("a watcher was shown something"));
		const shown: unknown[] = [];
		state.subscribe((_value, _context, { kind }) => void shown.push(kind));
		session.subscribeCommits(() => assert.fail("a commit was published"));
		let closes = 0;
		session.subscribeClose(() => void closes++);
		faulty.afterCommit = () => new Error("disk I/O error");
		const first = count(session);
		const queued = count(session);
		await assert.rejects(first, SessionPoisoned);
		await assert.rejects(first, /disk I\/O error/);
		await assert.rejects(queued, SessionPoisoned);
		faulty.afterCommit = undefined;
		assert.equal(closes, 1);
		assert.deepEqual(await watch.closed, { reason: "session_closed" });
		assert.deepEqual(state.value, { n: 1 });
		assert.deepEqual(shown, ["hydrate"]);
		const operations: (() => Promise<unknown>)[] = [
			() => count(session),
			() => session.snapshot(Counter, context),
			() => session.watchDoc(Counter, context),
			() => session.documentState(Counter, context),
			() => session.flush(context),
			() => session.onLine(() => {}),
		];
		for (const operation of operations) await assert.rejects(operation(), SessionPoisoned);
		await session.close(context);
	});

	test("a failing flush is uncertain too", async (t) => {
		const inner = new MemoryStorage();
		const storage = Object.assign(Object.create(inner), {
			flush: async () => {
				throw new Error("fsync failed");
			},
		});
		const session = openSession(storage, systemClock, {});
		t.after(() => inner.close(context));
		await assert.rejects(session.flush(context), SessionPoisoned);
		await assert.rejects(count(session), SessionPoisoned);
	});
});

test("closing lets what was admitted settle, and refuses everything later", async (t) => {
	const { session } = open(t);
	await count(session);
	const watch = (await session.watchDoc(Counter, context))!;
	const admitted = count(session);
	const closing = session.close(context);
	assert.equal(await admitted, 2);
	await assert.rejects(count(session), SessionClosed);
	await closing;
	assert.deepEqual(await watch.closed, { reason: "session_closed" });
	const operations: (() => Promise<unknown>)[] = [
		() => count(session),
		() => session.snapshot(Counter, context),
		() => session.watchDoc(Counter, context),
		() => session.flush(context),
	];
	for (const operation of operations) await assert.rejects(operation(), SessionClosed);
	await session.close(context);
});

test("cancelling a close cancels the wait, never the close", async (t) => {
	const { session } = open(t);
	const gate = Promise.withResolvers<void>();
	const slow = session.commit(() => gate.promise, context);
	const { context: impatient, cancel } = withCancel(context);
	const closing = session.close(impatient);
	cancel();
	await assert.rejects(closing);
	gate.resolve();
	await slow;
	await session.close(context);
});

test("a document's watch is of one incarnation: it ends with it and never follows the next", async (t) => {
	const { session } = open(t);
	assert.equal(await session.watchDoc(Families, "k", context), undefined);
	await session.commit((tx) => tx.doc(Families, "k", 1), context);
	const watch = (await session.watchDoc(Families, "k", context))!;
	const state = (await session.documentState(Families, "k", context))!;
	assert.deepEqual([watch.value, state.value], [{ n: 1 }, { n: 1 }]);
	const seen: unknown[] = [];
	const shown: unknown[] = [];
	watch.start(async (value) => void seen.push(value));
	state.subscribe((value) => void shown.push(value));
	await session.commit(async (tx) => {
		(await tx.doc(Families, "k", 0)).n = 2;
	}, context);
	await session.commit((tx) => tx.retireDoc(Families, "k"), context);
	await session.commit((tx) => tx.doc(Families, "k", 9), context);
	assert.deepEqual(await watch.closed, { reason: "retired" });
	await turns();
	assert.deepEqual(seen, [{ n: 2 }, null]);
	assert.deepEqual(shown, [{ n: 1 }, { n: 2 }, null]);
	assert.equal(state.value, null);
	assert.deepEqual((await session.watchDoc(Families, "k", context))?.value, { n: 9 });
});

test("a watch acquired with a cancelled context is not acquired", async (t) => {
	const { session } = open(t);
	await count(session);
	const { context: cancelled, cancel } = withCancel(context);
	cancel(new Error("not wanted"));
	await assert.rejects(session.watchDoc(Counter, cancelled), /not wanted/);
});

test("the table of documents in memory is bounded, and what fell out is read again", async (t) => {
	let reads = 0;
	const inner = new MemoryStorage();
	const storage = new Proxy(inner, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name, target);
			if (typeof member !== "function") return member;
			if (name === "document") reads++;
			return member.bind(target);
		},
	});
	const session = openSession(storage, systemClock, {});
	t.after(() => session.close(context));
	for (let key = 0; key < 1_100; key++)
		await session.commit((tx) => tx.doc(Families, String(key), key), context);
	assert.equal(reads, 0);
	assert.deepEqual(await session.snapshot(Families, "0", context), { n: 0 });
	assert.equal(reads, 1, "the one used longest ago was let go");
	assert.deepEqual(await session.snapshot(Families, "1099", context), { n: 1099 });
	assert.equal(reads, 1);
});

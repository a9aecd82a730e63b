import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { systemClock } from "../clock.ts";
import { openTestSession, Work } from "../testing/open-session.ts";
import { openStore, STORES } from "../testing/stores.ts";
import { defineDoc, defineDocFamily } from "../types/documents.ts";
import type { ConversationId, EntryId } from "../types/ids.ts";
import type { Tx } from "../types/session.ts";
import { openSession, type SessionCore } from "./session.ts";

const OWNERLESS = { ownership: { kind: "ownerless" } } as const;
const initial = () => ({ value: "initial" });
const scope = "conversation" as const;

const AsOf = defineDoc({ kind: "r.asOf", version: 1, scope, history: "rewindable", fork: "asOf", initial });
const Current = defineDoc({
	kind: "r.current",
	version: 1,
	scope,
	history: "rewindable",
	fork: "current",
	initial,
});
const Initial = defineDoc({
	kind: "r.initial",
	version: 1,
	scope,
	history: "rewindable",
	fork: "initial",
	initial,
});
const LatestCurrent = defineDoc({
	kind: "l.current",
	version: 1,
	scope,
	history: "latest",
	fork: "current",
	initial,
});
const LatestInitial = defineDoc({
	kind: "l.initial",
	version: 1,
	scope,
	history: "latest",
	fork: "initial",
	initial,
});
const SINGLE = [AsOf, Current, Initial, LatestCurrent, LatestInitial] as const;

const seeded = { version: 1, family: true, scope, initial: (value: string) => ({ value }) } as const;
const AsOfFamily = defineDocFamily({ ...seeded, kind: "rf.asOf", history: "rewindable", fork: "asOf" });
const CurrentFamily = defineDocFamily({ ...seeded, kind: "lf.current", history: "latest", fork: "current" });
const InitialFamily = defineDocFamily({ ...seeded, kind: "lf.initial", history: "latest", fork: "initial" });

const SessionWide = defineDoc({ kind: "s", version: 1, scope: "session", initial });
const OfTask = defineDoc({ kind: "t", version: 1, scope: "task", initial });

function newConversation(session: SessionCore): Promise<ConversationId> {
	return session.commit(async (tx) => (await tx.createConversation(OWNERLESS)).id, context);
}

/** A commit that appends an entry and does this. */
function at(
	session: SessionCore,
	id: ConversationId,
	change: (tx: Tx) => unknown = () => {},
): Promise<EntryId> {
	return session.commit(async (tx) => {
		await change(tx);
		return (await tx.appendEntry(id, { kind: "test.note" })).id;
	}, context);
}

function forkAt(session: SessionCore, id: ConversationId, entry: EntryId): Promise<ConversationId> {
	return session.commit(async (tx) => (await tx.forkConversation(id, entry, OWNERLESS)).id, context);
}

async function setAll(tx: Tx, id: ConversationId, value: string): Promise<void> {
	for (const token of SINGLE) (await tx.doc(token, id)).value = value;
}

for (const { name, open } of STORES)
	describe(`documents of forks in ${name}`, () => {
		const on = (promise: string, run: (session: SessionCore) => Promise<void>) =>
			test(promise, async (t) => run(openTestSession(t, await open(t))));

		on("each document starts in a fork as its policy says, whatever its history", async (session) => {
			const parent = await newConversation(session);
			const entry = await at(session, parent, (tx) => setAll(tx, parent, "then"));
			await session.commit((tx) => setAll(tx, parent, "now"), context);
			const fork = await forkAt(session, parent, entry);
			const values = async () =>
				Promise.all(SINGLE.map(async (token) => (await session.snapshot(token, fork, context))?.value));
			assert.deepEqual(await values(), ["then", "now", undefined, "now", undefined]);
			await session.commit(async (tx) => {
				for (const token of SINGLE) await tx.doc(token, fork);
			}, context);
			assert.deepEqual(await values(), ["then", "now", "initial", "now", "initial"]);
		});

		on("so does each member of a family, those alone that were there", async (session) => {
			const parent = await newConversation(session);
			const entry = await at(session, parent, async (tx) => {
				for (const token of [AsOfFamily, CurrentFamily, InitialFamily])
					for (const key of ["kept", "retired"]) await tx.doc(token, parent, key, `${key} then`);
			});
			await session.commit(async (tx) => {
				for (const token of [AsOfFamily, CurrentFamily, InitialFamily]) {
					(await tx.doc(token, parent, "kept", "")).value = "kept now";
					await tx.retireDoc(token, parent, "retired");
					await tx.doc(token, parent, "later", "later");
				}
			}, context);
			const fork = await forkAt(session, parent, entry);
			const values = async (token: typeof AsOfFamily | typeof CurrentFamily) =>
				Promise.all(
					["kept", "retired", "later"].map(
						async (key) => (await session.snapshot(token, fork, key, context))?.value,
					),
				);
			assert.deepEqual(await values(AsOfFamily), ["kept then", "retired then", undefined]);
			assert.deepEqual(await values(CurrentFamily), ["kept now", undefined, "later"]);
			assert.deepEqual(await values(InitialFamily), [undefined, undefined, undefined]);
			await session.commit(async (tx) => void (await tx.doc(InitialFamily, fork, "kept", "seed")), context);
			assert.deepEqual(await session.snapshot(InitialFamily, fork, "kept", context), { value: "seed" });
		});

		on("a copy is its own: neither side hears of the other's changes or end", async (session) => {
			const parent = await newConversation(session);
			const entry = await at(session, parent, (tx) => setAll(tx, parent, "shared"));
			const fork = await forkAt(session, parent, entry);
			const watch = (await session.watchDoc(AsOf, fork, context))!;
			const state = (await session.documentState(LatestCurrent, fork, context))!;
			assert.deepEqual([watch.value, state.value], [{ value: "shared" }, { value: "shared" }]);
			await session.commit(async (tx) => {
				await setAll(tx, parent, "parent's");
				for (const token of [AsOf, LatestCurrent]) await tx.retireDoc(token, parent);
			}, context);
			assert.deepEqual(await session.snapshot(AsOf, fork, context), { value: "shared" });
			await session.commit((tx) => setAll(tx, fork, "fork's"), context);
			assert.equal(await session.snapshot(AsOf, parent, context), undefined);
			assert.deepEqual(await session.snapshot(Current, parent, context), { value: "parent's" });
			assert.deepEqual(state.value, { value: "fork's" });
			assert.equal((await watch.stop()).reason, "stopped");
		});

		on("the state at an entry is the one its whole commit left", async (session) => {
			const parent = await newConversation(session);
			const entry = await session.commit(async (tx) => {
				const { id } = await tx.appendEntry(parent, { kind: "test.note" });
				(await tx.doc(AsOf, parent)).value = "after the entry";
				await tx.appendEntry(parent, { kind: "test.note" });
				return id;
			}, context);
			const fork = await forkAt(session, parent, entry);
			assert.deepEqual(await session.snapshot(AsOf, fork, context), { value: "after the entry" });
			assert.deepEqual(await session.snapshotAsOf(AsOf, fork, entry, context), { value: "after the entry" });
			const { items } = await session.storage.scanEntries({ conversationId: fork }, 9, undefined, context);
			assert.deepEqual(
				items.map(({ id }) => id),
				[entry],
				"later entries of that commit are not in the fork",
			);
		});

		on(
			"the past is read from whoever it belonged to: the parent's before the fork, then the fork's",
			async (session) => {
				const parent = await newConversation(session);
				const before = await at(session, parent);
				const one = await at(session, parent, async (tx) => ((await tx.doc(AsOf, parent)).value = "one"));
				await session.commit((tx) => tx.retireDoc(AsOf, parent), context);
				const gone = await at(session, parent);
				const two = await at(session, parent, async (tx) => ((await tx.doc(AsOf, parent)).value = "two"));
				const fork = await forkAt(session, parent, two);
				await session.commit(async (tx) => ((await tx.doc(AsOf, parent)).value = "three"), context);
				const own = await at(session, fork, async (tx) => ((await tx.doc(AsOf, fork)).value = "own"));
				const grandchild = await forkAt(session, fork, one);
				const asOf = async (id: ConversationId, entry: EntryId) =>
					(await session.snapshotAsOf(AsOf, id, entry, context))?.value;
				assert.deepEqual(await Promise.all([before, one, gone, two, own].map((entry) => asOf(fork, entry))), [
					undefined,
					"one",
					undefined,
					"two",
					"own",
				]);
				assert.equal(await asOf(grandchild, one), "one");
				assert.deepEqual(await session.snapshot(AsOf, grandchild, context), { value: "one" });
				assert.equal(await session.snapshot(AsOf, await forkAt(session, fork, gone), context), undefined);
				for (const [id, entry] of [
					[parent, own],
					[grandchild, two],
				] as const)
					await assert.rejects(asOf(id, entry), /isn't part of conversation/);
			},
		);

		on(
			"the parent's present can't be changed in the commit that copies it, and nothing of that commit is stored",
			async (session) => {
				const parent = await newConversation(session);
				const entry = await at(session, parent, (tx) => setAll(tx, parent, "stored"));
				const both = (change: (tx: Tx) => Promise<unknown>, first: boolean) =>
					session.commit(async (tx) => {
						if (first) await change(tx);
						await tx.forkConversation(parent, entry, OWNERLESS);
						if (!first) await change(tx);
					}, context);
				for (const first of [true, false]) {
					await assert.rejects(
						both(async (tx) => ((await tx.doc(LatestCurrent, parent)).value = "changed"), first),
						/written and copied in one batch/,
					);
					await assert.rejects(both((tx) => tx.retireDoc(Current, parent), first));
				}
				assert.deepEqual(await session.snapshot(LatestCurrent, parent, context), { value: "stored" });
				const { items } = await session.storage.scanConversations({}, 9, undefined, context);
				assert.deepEqual(
					items.map(({ id }) => id),
					[parent],
				);
				await both(async (tx) => ((await tx.doc(LatestInitial, parent)).value = "changed"), true);
				assert.deepEqual(await session.snapshot(LatestInitial, parent, context), { value: "changed" });
			},
		);

		on("the creating commit may change and retire what it copies", async (session) => {
			const parent = await newConversation(session);
			const entry = await at(session, parent, (tx) => setAll(tx, parent, "stored"));
			const seen: unknown[] = [];
			session.subscribeCommits(({ documents }) => seen.push(...documents.map(({ record }) => record.kind)));
			const fork = await session.commit(async (tx) => {
				const { id } = await tx.forkConversation(parent, entry, OWNERLESS);
				(await tx.doc(AsOf, id)).value += ", and on";
				await tx.retireDoc(Current, id);
				await tx.retireDoc(LatestCurrent, id);
				assert.equal((await tx.doc(LatestCurrent, id)).value, "initial", "a new one in its place");
				return id;
			}, context);
			assert.deepEqual(await session.snapshot(AsOf, fork, context), { value: "stored, and on" });
			assert.equal(await session.snapshot(Current, fork, context), undefined);
			assert.deepEqual(await session.snapshot(LatestCurrent, fork, context), { value: "initial" });
			assert.deepEqual(await session.snapshot(Current, parent, context), { value: "stored" });
		});

		on("documents of tasks are not copied, and those of the session are everyone's", async (session) => {
			const parent = await newConversation(session);
			const taskId = await session.commit(async (tx) => {
				const ownership = { kind: "conversation" } as const;
				const id = await tx.createTask(Work, null, { ownership, conversationId: parent });
				await tx.doc(OfTask, id);
				(await tx.doc(SessionWide)).value = "one for all";
				return id;
			}, context);
			const entry = await at(session, parent);
			const before = await session.snapshot(OfTask, taskId, context);
			const fork = await forkAt(session, parent, entry);
			assert.deepEqual(await session.snapshot(OfTask, taskId, context), before);
			const tasks = await session.storage.scanTasks({ conversationId: fork }, 9, undefined, context);
			assert.deepEqual(tasks.items, []);
			assert.deepEqual(await session.snapshot(SessionWide, context), { value: "one for all" });
			const query = { scope: { kind: "conversation", conversationId: fork }, at: "current" } as const;
			assert.deepEqual((await session.storage.scanDocuments(query, 9, undefined, context)).items, []);
		});
	});

test("a fork copies what no definition knows, with its version; it is migrated when it is opened", async (t) => {
	const { storage, reopen } = await openStore(t);
	const session = openSession(storage, systemClock, {});
	const parent = await newConversation(session);
	const entry = await at(session, parent, (tx) => setAll(tx, parent, "old"));
	await session.close(context);

	const next = openSession(await reopen(), systemClock, {});
	const fork = await forkAt(next, parent, entry);
	await next.close(context);

	const last = openTestSession(t, await reopen());
	const migrate = (value: { [key: string]: unknown }, from: number) => ({ text: `${value.value} ${from}` });
	const base = { kind: "r.asOf", scope, history: "rewindable", fork: "asOf" } as const;
	const Newer = defineDoc<{ text: string }>({ ...base, version: 3, initial: () => ({ text: "" }), migrate });
	assert.deepEqual(await last.snapshot(Newer, fork, context), { text: "old 1" });
	assert.deepEqual(await last.snapshot(AsOf, fork, context), { value: "old" }, "reading stores nothing");
	await last.commit(async (tx) => void (await tx.doc(Newer, fork)), context);
	await assert.rejects(last.snapshot(AsOf, fork, context), /newer version \(3; this program knows 1\)/);
	assert.deepEqual(await last.snapshot(AsOf, parent, context), { value: "old" }, "the parent's is as it was");
	assert.deepEqual(await last.snapshotAsOf(Newer, fork, entry, context), { text: "old 1" });
	const made = await last.commit(async (tx) => {
		const { id } = await tx.forkConversation(parent, entry, OWNERLESS);
		(await tx.doc(Newer, id)).text += "!";
		return id;
	}, context);
	assert.deepEqual(await last.snapshot(Newer, made, context), { text: "old 1!" });
});

test("a fork is made of what is stored, not of what a newer definition has made of it in memory", async (t) => {
	const { storage } = await openStore(t);
	const session = openTestSession(t, storage);
	const parent = await newConversation(session);
	const entry = await at(session, parent, (tx) => setAll(tx, parent, "old"));
	const Newer = defineDoc<{ text: string }>({
		kind: "l.current",
		version: 2,
		scope,
		history: "latest",
		fork: "current",
		initial: () => ({ text: "" }),
		migrate: () => ({ text: "migrated" }),
	});
	assert.deepEqual(await session.snapshot(Newer, parent, context), { text: "migrated" });
	const fork = await forkAt(session, parent, entry);
	assert.deepEqual(await session.snapshot(LatestCurrent, fork, context), { value: "old" });
});

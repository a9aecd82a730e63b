import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { BACKGROUND_CONTEXT as context, withCancel } from "@earendil-works/chord/context";
import { openTestSession, Work } from "../testing/open-session.ts";
import { openStore, STORES } from "../testing/stores.ts";
import { turns } from "../testing/until.ts";
import { defineDoc, defineDocFamily } from "../types/documents.ts";
import type { Storage } from "../types/storage.ts";

const initial = () => ({ n: 0 });
const seed = (n: number) => ({ n });
const OfSession = defineDoc({ kind: "s", version: 1, scope: "session", initial });
const OfConversation = defineDoc({
	kind: "c",
	version: 1,
	scope: "conversation",
	history: "rewindable",
	fork: "asOf",
	initial,
});
const OfTask = defineDoc({ kind: "t", version: 1, scope: "task", initial });
const SessionFamily = defineDocFamily({
	kind: "sf",
	version: 1,
	family: true,
	scope: "session",
	initial: seed,
});
const ConversationFamily = defineDocFamily({
	kind: "cf",
	version: 1,
	family: true,
	scope: "conversation",
	history: "latest",
	fork: "initial",
	initial: seed,
});
const TaskFamily = defineDocFamily({ kind: "tf", version: 1, family: true, scope: "task", initial: seed });

async function open(t: TestContext, storage: Storage, reports: unknown[] = []) {
	const session = openTestSession(t, storage, (error) => void reports.push(error));
	const ids = await session.commit(async (tx) => {
		const { id } = await tx.createConversation({ ownership: { kind: "ownerless" } });
		const ownership = { kind: "conversation" } as const;
		return { conversation: id, task: await tx.createTask(Work, null, { ownership, conversationId: id }) };
	}, context);
	return { session, ...ids };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Each kind of address: how it is read, followed and changed. */
function addresses({ session, conversation, task }: Opened) {
	return [
		{
			name: "a session's",
			snapshot: () => session.snapshot(OfSession, context),
			watch: () => session.watchDoc(OfSession, context),
			state: () => session.documentState(OfSession, context),
			add: () => session.commit(async (tx) => void (await tx.doc(OfSession)).n++, context),
			retire: () => session.commit((tx) => tx.retireDoc(OfSession), context),
		},
		{
			name: "a conversation's",
			snapshot: () => session.snapshot(OfConversation, conversation, context),
			watch: () => session.watchDoc(OfConversation, conversation, context),
			state: () => session.documentState(OfConversation, conversation, context),
			add: () => session.commit(async (tx) => void (await tx.doc(OfConversation, conversation)).n++, context),
			retire: () => session.commit((tx) => tx.retireDoc(OfConversation, conversation), context),
		},
		{
			name: "a task's",
			snapshot: () => session.snapshot(OfTask, task, context),
			watch: () => session.watchDoc(OfTask, task, context),
			state: () => session.documentState(OfTask, task, context),
			add: () => session.commit(async (tx) => void (await tx.doc(OfTask, task)).n++, context),
			retire: () => session.commit((tx) => tx.retireDoc(OfTask, task), context),
		},
		{
			name: "a member of a session's family",
			snapshot: () => session.snapshot(SessionFamily, "k", context),
			watch: () => session.watchDoc(SessionFamily, "k", context),
			state: () => session.documentState(SessionFamily, "k", context),
			add: () => session.commit(async (tx) => void (await tx.doc(SessionFamily, "k", 0)).n++, context),
			retire: () => session.commit((tx) => tx.retireDoc(SessionFamily, "k"), context),
		},
		{
			name: "a member of a conversation's family",
			snapshot: () => session.snapshot(ConversationFamily, conversation, "k", context),
			watch: () => session.watchDoc(ConversationFamily, conversation, "k", context),
			state: () => session.documentState(ConversationFamily, conversation, "k", context),
			add: () =>
				session.commit(
					async (tx) => void (await tx.doc(ConversationFamily, conversation, "k", 0)).n++,
					context,
				),
			retire: () => session.commit((tx) => tx.retireDoc(ConversationFamily, conversation, "k"), context),
		},
		{
			name: "a member of a task's family",
			snapshot: () => session.snapshot(TaskFamily, task, "k", context),
			watch: () => session.watchDoc(TaskFamily, task, "k", context),
			state: () => session.documentState(TaskFamily, task, "k", context),
			add: () => session.commit(async (tx) => void (await tx.doc(TaskFamily, task, "k", 0)).n++, context),
			retire: () => session.commit((tx) => tx.retireDoc(TaskFamily, task, "k"), context),
		},
	];
}

for (const store of STORES)
	describe(`reading and following documents in ${store.name}`, () => {
		test("what isn't there is undefined to every reader, and reading never makes it", async (t) => {
			const opened = await open(t, await store.open(t));
			let commits = 0;
			opened.session.subscribeCommits(() => void commits++);
			for (const { name, snapshot, watch, state } of addresses(opened))
				for (let pass = 0; pass < 2; pass++) {
					assert.equal(await snapshot(), undefined, name);
					assert.equal(await watch(), undefined, name);
					assert.equal(await state(), undefined, name);
				}
			assert.equal(commits, 0);
		});

		test("a watch and a state begin with what is stored and follow every change to the end", async (t) => {
			const opened = await open(t, await store.open(t));
			for (const { name, add, watch, state, retire, snapshot } of addresses(opened)) {
				await add();
				const followed = (await watch())!;
				const live = (await state())!;
				const seen: unknown[] = [];
				const shown: unknown[] = [];
				followed.start(async (value, ops) => void seen.push([value, ops.length > 0]));
				live.subscribe((value) => void shown.push(value));
				assert.deepEqual([followed.value, live.value], [{ n: 1 }, { n: 1 }], name);
				await add();
				await retire();
				await add();
				assert.deepEqual(await followed.closed, { reason: "retired" }, name);
				await turns();
				assert.deepEqual(
					seen,
					[
						[{ n: 2 }, true],
						[null, true],
					],
					name,
				);
				assert.deepEqual(shown, [{ n: 1 }, { n: 2 }, null], name);
				assert.equal(live.value, null, name);
				assert.deepEqual(await snapshot(), { n: 1 }, `${name}: the next one is another`);
			}
		});

		test("closing ends them; a state keeps its last value", async (t) => {
			const opened = await open(t, await store.open(t));
			const [first] = addresses(opened);
			await first!.add();
			const followed = (await first!.watch())!;
			const live = (await first!.state())!;
			await opened.session.close(context);
			assert.deepEqual(await followed.closed, { reason: "session_closed" });
			assert.deepEqual(live.value, { n: 1 });
			await assert.rejects(first!.snapshot(), /closed/);
			await assert.rejects(first!.watch(), /closed/);
			await assert.rejects(first!.state(), /closed/);
		});
	});

test("who stops or disposes hears nothing more, and the others go on", async (t) => {
	const reports: unknown[] = [];
	const opened = await open(t, (await openStore(t)).storage, reports);
	const [, conversation] = addresses(opened);
	const { add, watch, state } = conversation!;
	await add();
	const [stopped, other] = [(await watch())!, (await watch())!];
	const [disposed, live] = [(await state())!, (await state())!];
	const seen: unknown[] = [];
	stopped.start(async () => assert.fail("called after its end"));
	other.start(async (value) => void seen.push(value));
	disposed.subscribe((value) => assert.deepEqual(value, { n: 1 }));
	assert.deepEqual(await stopped.stop(), { reason: "stopped" });
	disposed.dispose();
	live.subscribe(() => {
		throw new Error("mine");
	});
	await add();
	await turns();
	assert.deepEqual(seen, [{ n: 2 }]);
	assert.deepEqual(live.value, { n: 2 });
	assert.deepEqual(disposed.value, { n: 1 });
	assert.ok(reports.every((error) => /mine/.test(String(error))) && reports.length > 0);
	await other.stop();
});

test("following with a cancelled context is refused, and a later cancelling ends the watch", async (t) => {
	const opened = await open(t, (await openStore(t)).storage);
	const { session } = opened;
	await addresses(opened)[0]!.add();
	const { context: cancelled, cancel } = withCancel(context);
	const followed = (await session.watchDoc(OfSession, cancelled))!;
	cancel(new Error("not wanted"));
	assert.deepEqual(await followed.closed, { reason: "cancelled" });
	await assert.rejects(session.watchDoc(OfSession, cancelled), /not wanted/);
	await assert.rejects(session.documentState(OfSession, cancelled), /not wanted/);
});

test("followers of a newer definition see migrated values, and nothing is stored by following", async (t) => {
	const { storage } = await openStore(t);
	const opened = await open(t, storage);
	const { session, conversation } = opened;
	await addresses(opened)[1]!.add();
	const Newer = defineDoc<{ count: number }>({
		kind: "c",
		version: 2,
		scope: "conversation",
		history: "rewindable",
		fork: "asOf",
		initial: () => ({ count: 0 }),
		migrate: ({ n }) => ({ count: n as number }),
	});
	const followed = (await session.watchDoc(Newer, conversation, context))!;
	const live = (await session.documentState(Newer, conversation, context))!;
	assert.deepEqual([followed.value, live.value], [{ count: 1 }, { count: 1 }]);
	assert.deepEqual(await session.snapshot(OfConversation, conversation, context), { n: 1 });
	const seen: unknown[] = [];
	followed.start(async (value) => void seen.push(value));
	await session.commit(async (tx) => void (await tx.doc(Newer, conversation)).count++, context);
	await turns();
	assert.deepEqual([seen, live.value], [[{ count: 2 }], { count: 2 }]);
	const other = { ...Newer.definition, history: "latest", fork: "current" } as const;
	const wrong = defineDoc<{ count: number }>(other);
	await assert.rejects(session.watchDoc(wrong, conversation, context), TypeError);
	await assert.rejects(session.documentState(wrong, conversation, context), TypeError);
	await followed.stop();
});

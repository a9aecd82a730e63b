import assert from "node:assert/strict";
import { StorageRejected } from "../../errors.ts";
import { ROOT_CONVERSATION_ID } from "../../types/ids.ts";
import type { StorageWrite } from "../../types/storage.ts";
import {
	append,
	base,
	context,
	create,
	delta,
	type Fixture,
	type Group,
	put,
	retire,
	submission,
	task,
} from "./fixture.ts";

export const commits: Group = (it) => {
	it("numbers commits in strictly rising order, also an empty one", async (f) => {
		const first = await f.commit(put(await f.conversation()));
		const second = await f.commit();
		const third = await f.commit(put(await f.conversation()));
		assert.ok(first < second && second < third);
	});

	it("never mints an id twice, nor 0 or 1", async (f) => {
		const minted = new Set<number>();
		for (let i = 0; i < 5_000; i++) minted.add(await f.mint());
		assert.equal(minted.size, 5_000);
		assert.ok(!minted.has(0) && !minted.has(1));
		assert.ok([...minted].every(Number.isSafeInteger));
	});

	it("accepts the reserved id of the root conversation", async (f) => {
		await f.commit(put(await f.conversation({ id: ROOT_CONVERSATION_ID })));
		assert.deepEqual(await f.storage.conversation(ROOT_CONVERSATION_ID, context), { id: 1 });
	});

	it("stores one batch over all tables", async (f) => {
		const { writes, assertStored } = await oneOfEach(f);
		await f.commit(...writes);
		await assertStored(true);
	});

	it("keeps a record's own order of writes: the last one of an id counts", async (f) => {
		const { id } = await f.transcript(0);
		const first = await f.task(id);
		const last = { ...first, abortRequested: true };
		await f.commit(task(first), task(last));
		assert.deepEqual(await f.storage.task(first.id, context), last);
	});

	it("stores nothing of a batch with one bad write, wherever it stands, and goes on", async (f) => {
		for (const [what, bad] of await badWrites(f)) {
			for (const place of ["first", "last"] as const) {
				const { writes, assertStored } = await oneOfEach(f);
				const batch = place === "first" ? [...bad, ...writes] : [...writes, ...bad];
				await assert.rejects(f.commit(...batch), StorageRejected, `${what}, ${place}`);
				await assertStored(false);
				await f.commit(...writes);
				await assertStored(true);
			}
		}
	});

	it("flushes, with and without anything to flush", async (f) => {
		await f.storage.flush(context);
		await f.commit(put(await f.conversation()));
		await Promise.all([f.storage.flush(context), f.storage.flush(context)]);
	});

	it("refuses everything once closed, and closes twice without harm", async (f) => {
		const { id, entries } = await f.transcript(1);
		await f.storage.close(context);
		await f.storage.close(context);
		const { storage } = f;
		const scope = { kind: "session" } as const;
		const calls = [
			() => storage.commit([], context),
			() => storage.flush(context),
			() => storage.mintId(),
			() => storage.conversation(id, context),
			() => storage.scanConversations({}, 1, undefined, context),
			() => storage.entry(entries[0]!.id, context),
			() => storage.findLatestHeadMarker(id, undefined, context),
			() => storage.scanEntries({ conversationId: id }, 1, undefined, context),
			() => storage.task(2 as never, context),
			() => storage.scanTasks({}, 1, undefined, context),
			() => storage.submission(2 as never, context),
			() => storage.scanSubmissions({}, 1, undefined, context),
			() => storage.submissionByRequest(id, "r", context),
			() => storage.findDocument({ kind: "state", scope }, "current", context),
			() => storage.document(2 as never, "current", context),
			() => storage.scanDocuments({ scope, at: "current" }, 1, undefined, context),
		];
		for (const call of calls) await assert.rejects(call, /closed/);
	});
};

/** A batch that writes to every table, and a check that all or nothing of it is there. */
async function oneOfEach(f: Fixture) {
	const conversation = await f.conversation();
	const entry = await f.entry(conversation.id, { head: 7 });
	const work = await f.task(conversation.id);
	const input = await f.submission(conversation.id, { requestId: `request ${conversation.id}` });
	const document = await f.conversationDocument(conversation.id);
	const writes = [
		put(conversation),
		append(entry),
		task(work),
		submission(input),
		create(document, { a: 1 }),
	];
	return {
		writes,
		async assertStored(stored: boolean) {
			const { storage } = f;
			const there = <T>(value: T) => (stored ? value : undefined);
			assert.deepEqual(await storage.conversation(conversation.id, context), there(conversation));
			assert.deepEqual((await storage.entry(entry.id, context))?.entry, there(entry));
			const head = await storage.findLatestHeadMarker(conversation.id, undefined, context);
			assert.deepEqual(head, there(entry));
			assert.deepEqual(await storage.task(work.id, context), there(work));
			assert.deepEqual(await storage.submission(input.id, context), there(input));
			const byRequest = await storage.submissionByRequest(conversation.id, input.requestId!, context);
			assert.deepEqual(byRequest, there(input));
			const read = await storage.document(document.id, "current", context);
			assert.deepEqual(read?.value, there({ a: 1 }));
		},
	};
}

/** Every write that contradicts the store or itself. */
async function badWrites(f: Fixture): Promise<[string, StorageWrite[]][]> {
	const { id, entries } = await f.transcript(1);
	const entry = entries[0]!;
	const work = await f.task(id);
	const input = await f.submission(id, { requestId: "taken" });
	const living = await f.document({ kind: "living" });
	const gone = await f.document({ kind: "gone" });
	await f.commit(task(work), submission(input), create(living, {}), create(gone, {}));
	await f.commit(retire(gone.id));
	const fresh = await f.conversation();
	const other = await f.document();
	const circular: Record<string, unknown> = {};
	circular.self = circular;
	return [
		["a conversation's id again", [put(await f.conversation({ id }))]],
		["an entry's id again", [append(entry)]],
		["an entry with a task's id", [append(await f.entry(id, { id: work.id }))]],
		["a task with an entry's id", [task(await f.task(id, { id: entry.id }))]],
		["a submission with a task's id", [submission(await f.submission(id, { id: work.id }))]],
		["a document with a submission's id", [create(await f.document({ id: input.id }), {})]],
		["an id that was never minted", [append(await f.entry(id, { id: 2 ** 50 }))]],
		["an id that is no id", [append(await f.entry(id, { id: 0 }))]],
		["one id for two records", [put(fresh), append(await f.entry(id, { id: fresh.id }))]],
		["a request id in use", [submission(await f.submission(id, { requestId: "taken" }))]],
		["a change of an absent document", [delta(other.id, [["s", ["a"], 1]])]],
		["a retirement of an absent document", [retire(other.id)]],
		["a change of a retired document", [base(gone.id, {})]],
		["a second retirement", [retire(gone.id)]],
		["a change across versions", [delta(living.id, [["s", ["a"], 1]], 2)]],
		["two changes of one document", [base(living.id, {}), delta(living.id, [])]],
		["two retirements in one batch", [retire(living.id), retire(living.id)]],
		["a second document at one place", [create(await f.document({ kind: "living" }), {})]],
		[
			"two new documents at one place",
			[create(await f.document({ kind: "pair" }), {}), create(await f.document({ kind: "pair" }), {})],
		],
		["a value that is not JSON", [append(await f.entry(id, { data: circular }))]],
	];
}

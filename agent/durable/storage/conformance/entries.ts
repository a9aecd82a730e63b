import assert from "node:assert/strict";
import { append, context, type Group, ids, readAll } from "./fixture.ts";

export const entries: Group = (it) => {
	it("reads an entry with the number of its commit, by id and through its conversation", async (f) => {
		const { id } = await f.transcript(0);
		const stranger = await f.transcript(0);
		const entry = await f.entry(id, {
			model: [{ role: "user", content: "hi", timestamp: 1 }],
			edits: [{ target: 3, action: "omit" }],
			byTaskId: 4,
			head: 5,
		});
		const commitSeq = await f.commit(append(entry));
		const expected = { entry, commitSeq };
		assert.deepEqual(await f.storage.entry(entry.id, context), expected);
		assert.deepEqual(await f.storage.entry(id, entry.id, context), expected);
		assert.equal(await f.storage.entry(stranger.id, entry.id, context), undefined);
		assert.equal(await f.storage.entry(await f.mint(), context), undefined);
		assert.equal(await f.storage.entry(await f.mint(), entry.id, context), undefined);
	});

	it("gives entries of one commit one number", async (f) => {
		const { id } = await f.transcript(0);
		const [a, b] = [await f.entry(id), await f.entry(id)];
		const seq = await f.commit(append(a), append(b));
		assert.equal((await f.storage.entry(a.id, context))?.commitSeq, seq);
		assert.equal((await f.storage.entry(b.id, context))?.commitSeq, seq);
	});

	it("pages in both orders, newest first by default", async (f) => {
		const { id, entries } = await f.transcript(7);
		await f.transcript(3);
		for (const limit of [1, 2, 3, 7, 20]) {
			const scan = (order?: "ascending" | "descending") =>
				readAll(limit, (cursor) =>
					f.storage.scanEntries({ conversationId: id, order }, limit, cursor, context),
				);
			assert.deepEqual(await scan(), entries.toReversed());
			assert.deepEqual(await scan("descending"), entries.toReversed());
			assert.deepEqual(await scan("ascending"), entries);
		}
	});

	it("keeps to both bounds, which are inclusive", async (f) => {
		const { id, entries } = await f.transcript(6);
		const bounds = { minEntryId: entries[1]!.id, maxEntryId: entries[4]!.id };
		for (const order of ["ascending", "descending"] as const) {
			const read = await readAll(2, (cursor) =>
				f.storage.scanEntries({ conversationId: id, order, ...bounds }, 2, cursor, context),
			);
			assert.deepEqual(ids(read).sort(byNumber), ids(entries.slice(1, 5)));
		}
		const none = { conversationId: id, minEntryId: entries[3]!.id, maxEntryId: entries[2]!.id };
		assert.deepEqual((await f.storage.scanEntries(none, 5, undefined, context)).items, []);
	});

	it("refuses to turn a scan round", async (f) => {
		const { id } = await f.transcript(3);
		const { next } = await f.storage.scanEntries({ conversationId: id }, 1, undefined, context);
		const turned = { conversationId: id, order: "ascending" } as const;
		await assert.rejects(f.storage.scanEntries(turned, 1, next, context), /order/);
	});

	it("finds the newest head marker, up to a cutoff", async (f) => {
		const { id, entries } = await f.transcript(2);
		assert.equal(await f.storage.findLatestHeadMarker(id, undefined, context), undefined);
		const reset = await f.entry(id, { head: entries[1]!.id });
		await f.commit(append(reset));
		await f.append(id, 1);
		const summary = await f.entry(id, { head: entries[0]!.id });
		await f.commit(append(summary));
		const [last] = await f.append(id, 1);
		const find = (cutoff?: number) => f.storage.findLatestHeadMarker(id, cutoff as never, context);
		assert.deepEqual(await find(), summary);
		assert.deepEqual(await find(last!.id), summary);
		assert.deepEqual(await find(summary.id), summary);
		assert.deepEqual(await find(summary.id - 1), reset);
		assert.deepEqual(await find(reset.id), reset);
		assert.equal(await find(reset.id - 1), undefined);
	});

	it("answers for an unknown conversation with nothing", async (f) => {
		const nobody = await f.mint<never>();
		assert.deepEqual(await f.storage.scanEntries({ conversationId: nobody }, 5, undefined, context), {
			items: [],
		});
		assert.equal(await f.storage.findLatestHeadMarker(nobody, undefined, context), undefined);
	});
};

function byNumber(a: number, b: number): number {
	return a - b;
}

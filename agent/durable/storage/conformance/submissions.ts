import assert from "node:assert/strict";
import type { SubmissionRecord } from "../../types/submissions.ts";
import { context, type Group, ids, readAll, submission } from "./fixture.ts";

export const submissions: Group = (it) => {
	it("replaces a submission's record whole", async (f) => {
		const { id, entries } = await f.transcript(2);
		const queued = await f.submission(id, { requestId: "r1", digest: "d" });
		await f.commit(submission(queued));
		assert.deepEqual(await f.storage.submission(queued.id, context), queued);
		const done = { ...queued, status: "done", entry: entries[0]!.id, answer: entries[1]!.id } as never;
		await f.commit(submission(done));
		assert.deepEqual(await f.storage.submission(queued.id, context), done);
		assert.deepEqual(await f.storage.submissionByRequest(id, "r1", context), done);
		assert.equal(await f.storage.submission(await f.mint(), context), undefined);
	});

	it("finds a submission by its request id, which belongs to one conversation", async (f) => {
		const [a, b] = [await f.transcript(0), await f.transcript(0)];
		const inA = await f.submission(a.id, { requestId: "same" });
		const inB = await f.submission(b.id, { requestId: "same", type: "write" });
		const without = await f.submission(a.id);
		await f.commit(submission(inA), submission(inB), submission(without));
		assert.deepEqual(await f.storage.submissionByRequest(a.id, "same", context), inA);
		assert.deepEqual(await f.storage.submissionByRequest(b.id, "same", context), inB);
		assert.equal(await f.storage.submissionByRequest(a.id, "other", context), undefined);
		const { items } = await f.storage.scanSubmissions({ requestId: "same" }, 9, undefined, context);
		assert.deepEqual(items, [inA, inB]);
		await f.assertRejected(submission(await f.submission(a.id, { requestId: "same" })));
	});

	it("tells request ids apart by every character", async (f) => {
		const { id } = await f.transcript(0);
		const odd = [
			"",
			" ",
			"a",
			"A",
			"ä",
			"a\u0308",
			"\ud800",
			"\ufffd",
			"\u0001",
			'\u0001"x"',
			"a\0b",
			"a\0c",
		];
		const all = [];
		for (const requestId of odd) all.push(await f.submission(id, { requestId }));
		await f.commit(...all.map(submission));
		for (const record of all)
			assert.deepEqual(await f.storage.submissionByRequest(id, record.requestId!, context), record);
	});

	it("scans by conversation and status, in both orders", async (f) => {
		const [a, b] = [await f.transcript(0), await f.transcript(0)];
		const all: SubmissionRecord[] = [];
		for (const { id } of [a, b])
			for (const status of ["queued", "placed", "done", "unanswered"])
				for (let i = 0; i < 2; i++) all.push(await f.submission(id, { status, reason: "r" }));
		await f.commit(...all.map(submission));
		for (const conversationId of [undefined, a.id, b.id])
			for (const status of [undefined, "queued", "placed", "done", "unanswered"] as const)
				for (const order of [undefined, "ascending", "descending"] as const) {
					const expected = all.filter(
						(s) =>
							(conversationId ?? s.conversationId) === s.conversationId && (status ?? s.status) === s.status,
					);
					const read = await readAll(3, (cursor) =>
						f.storage.scanSubmissions({ conversationId, status, order }, 3, cursor, context),
					);
					const inOrder = order === "descending" ? expected.toReversed() : expected;
					assert.deepEqual(ids(read), ids(inOrder));
				}
	});
};

import assert from "node:assert/strict";
import type { DocumentScope } from "../../types/documents.ts";
import type { Seq } from "../../types/ids.ts";
import type { JsonObject } from "../../types/json.ts";
import type { StorageWrite } from "../../types/storage.ts";
import {
	base,
	context,
	copy,
	create,
	delta,
	type Fixture,
	type Group,
	ids,
	readAll,
	retire,
} from "./fixture.ts";

export const documentHistory: Group = (it) => {
	it("reads every past value of a rewindable document, across whole values and versions", async (f) => {
		const { record, values, retiredAt } = await history(f);
		for (const { seq, until, value, version, deltasSinceBase } of values)
			for (let at = seq; at < until; at++) {
				const read = await f.storage.document(record.id, at as Seq, context);
				assert.deepEqual(read?.value, value);
				assert.deepEqual([read?.version, read?.deltasSinceBase], [version, deltasSinceBase]);
			}
		const createdAt = values[0]!.seq;
		assert.equal(await f.storage.document(record.id, (createdAt - 1) as Seq, context), undefined);
		assert.equal(await f.storage.document(record.id, retiredAt, context), undefined);
	});

	it("refuses the past of a document that keeps its current value only", async (f) => {
		const { id } = await f.transcript(0);
		const scope: DocumentScope = { kind: "task", taskId: id as never };
		const all = [
			await f.document(),
			await f.document({ scope }),
			await f.conversationDocument(id, { history: "latest", fork: "current" }),
		];
		for (const record of all) {
			const seq = await f.commit(create(record, { a: 1 }));
			await assert.rejects(f.storage.document(record.id, seq, context), /current/);
			await f.commit(retire(record.id));
			await assert.rejects(f.storage.document(record.id, seq, context), /current/);
		}
	});

	it("scans what was alive in a scope at a past commit", async (f) => {
		const { id } = await f.transcript(0);
		const [a, b, c] = [
			await f.conversationDocument(id, { kind: "a" }),
			await f.conversationDocument(id, { kind: "b", history: "latest", fork: "current" }),
			await f.conversationDocument(id, { kind: "a", key: "member" }),
		];
		const first = await f.commit(create(a, {}));
		const second = await f.commit(create(b, {}), create(c, {}));
		const third = await f.commit(retire(a.id));
		const fourth = await f.commit(retire(b.id));
		const scan = async (at: Seq | "current", kind?: string) => {
			const query = { scope: a.scope, at, kind };
			return ids(await readAll(1, (cursor) => f.storage.scanDocuments(query, 1, cursor, context)));
		};
		assert.deepEqual(await scan((first - 1) as Seq), []);
		assert.deepEqual(await scan(first), [a.id]);
		assert.deepEqual(await scan(second), [a.id, b.id, c.id]);
		assert.deepEqual(await scan(second, "a"), [a.id, c.id]);
		assert.deepEqual(await scan(third), [b.id, c.id]);
		assert.deepEqual(await scan(fourth), [c.id]);
		assert.deepEqual(await scan("current"), [c.id]);
	});

	it("copies a document's present or past value as one whole value of the same version", async (f) => {
		const { record, values } = await history(f, { retire: false });
		const points = [...values.map(({ seq, value, version }) => ({ at: seq, value, version }))];
		const last = values.at(-1)!;
		for (const { at, value, version } of [...points, { at: "current" as const, ...last }]) {
			const child = await f.transcript(0);
			const copied = await f.conversationDocument(child.id);
			const createdAt = await f.commit(copy(copied, record.id, at));
			const read = await f.storage.document(copied.id, "current", context);
			assert.deepEqual(read, { record: { ...copied, createdAt }, version, value, deltasSinceBase: 0 });
		}
	});

	it("lets no later fate of the source reach the copy", async (f) => {
		const { id } = await f.transcript(0);
		for (const history of ["rewindable", "latest"]) {
			const source = await f.conversationDocument(id, { kind: history, history, fork: "current" });
			await f.commit(create(source, { list: [1] }));
			const child = await f.transcript(0);
			const copied = await f.conversationDocument(child.id, { kind: history, history, fork: "current" });
			await f.commit(copy(copied, source.id, "current"));
			await f.commit(delta(source.id, [["p", ["list"], 0, 1, []]]));
			await f.commit(base(source.id, {}));
			await f.commit(retire(source.id));
			await f.commit(delta(copied.id, [["p", ["list"], 1, 0, [2]]]));
			const read = await f.storage.document(copied.id, "current", context);
			assert.deepEqual(read?.value, { list: [1, 2] });
		}
	});

	it("copies into a place that is freed in the same commit", async (f) => {
		const { record } = await history(f, { retire: false });
		const child = await f.transcript(0);
		const [before, copied] = [await f.conversationDocument(child.id), await f.conversationDocument(child.id)];
		await f.commit(create(before, {}));
		await f.commit(copy(copied, record.id, "current"), retire(before.id));
		const { kind, scope } = copied;
		assert.equal((await f.storage.findDocument({ kind, scope }, "current", context))?.id, copied.id);
	});

	it("refuses a copy that is not of one living document declared alike", async (f) => {
		const { record, values, retiredAt } = await history(f);
		const living = await history(f, { retire: false });
		const child = await f.transcript(0);
		const target = () => f.conversationDocument(child.id);
		const session = await f.document();
		const latest = await f.conversationDocument(child.id, {
			kind: "l",
			history: "latest",
			fork: "current",
		});
		const seq = await f.commit(create(session, {}), create(latest, {}));
		const latestTarget = await f.conversationDocument(living.conversationId, {
			kind: "l",
			history: "latest",
			fork: "current",
		});
		const before = (values[0]!.seq - 1) as Seq;
		const bad = [
			[copy(await target(), await f.mint(), "current")],
			[copy(await target(), record.id, "current")],
			[copy(await target(), record.id, retiredAt)],
			[copy(await target(), record.id, before)],
			[copy(await target(), session.id, "current")],
			[copy(latestTarget, latest.id, seq)],
			[copy(await f.document(), living.record.id, "current")],
			[copy(await f.conversationDocument(child.id, { kind: "x" }), living.record.id, "current")],
			[copy(await f.conversationDocument(child.id, { key: "x" }), living.record.id, "current")],
			[copy(await f.conversationDocument(child.id, { fork: "current" }), living.record.id, "current")],
			[copy(await target(), living.record.id, "current"), base(living.record.id, {})],
			[retire(living.record.id), copy(await target(), living.record.id, "current")],
			[create(latestTarget, {}), copy(await target(), latestTarget.id, "current")],
		];
		for (const writes of bad) await f.assertRejected(...writes);
	});
};

/** A rewindable document with every kind of change, and what it was from which commit up to which. */
async function history(f: Fixture, options = { retire: true }) {
	const { id: conversationId } = await f.transcript(0);
	const record = await f.conversationDocument(conversationId);
	const steps: { write: StorageWrite; value: JsonObject; version: number; deltasSinceBase: number }[] = [
		{ write: create(record, { n: 0, list: [] }), value: { n: 0, list: [] }, version: 1, deltasSinceBase: 0 },
		{
			write: delta(record.id, [["s", ["n"], 1]]),
			value: { n: 1, list: [] },
			version: 1,
			deltasSinceBase: 1,
		},
		{
			write: delta(record.id, [["p", ["list"], 0, 0, ["x"]]]),
			value: { n: 1, list: ["x"] },
			version: 1,
			deltasSinceBase: 2,
		},
		{ write: delta(record.id, [["r", { root: 1 }]]), value: { root: 1 }, version: 1, deltasSinceBase: 3 },
		{ write: base(record.id, { v: 2 }, 2), value: { v: 2 }, version: 2, deltasSinceBase: 0 },
		{
			write: delta(record.id, [["s", ["w"], null]], 2),
			value: { v: 2, w: null },
			version: 2,
			deltasSinceBase: 1,
		},
	];
	const values: { seq: Seq; value: JsonObject; version: number; deltasSinceBase: number }[] = [];
	for (const { write, ...value } of steps) {
		values.push({ seq: await f.commit(write), ...value });
		await f.commit();
	}
	const retiredAt = options.retire ? await f.commit(retire(record.id)) : await f.commit();
	return {
		conversationId,
		record,
		retiredAt,
		values: values.map((value, i) => ({ ...value, until: values[i + 1]?.seq ?? retiredAt })),
	};
}

import assert from "node:assert/strict";
import type { DocumentCreate, DocumentRecord, DocumentScope } from "../../types/documents.ts";
import type { DocumentAddress } from "../../types/storage.ts";
import { base, context, create, delta, type Group, ids, readAll, retire } from "./fixture.ts";

const SESSION: DocumentScope = { kind: "session" };

export const documents: Group = (it) => {
	it("stores a document with its lifetime, and reads it back", async (f) => {
		const record = await f.document({ kind: "settings" });
		const createdAt = await f.commit(create(record, { theme: "dark" }, 3));
		const stored = { record: { ...record, createdAt }, version: 3, value: { theme: "dark" } };
		const read = await f.storage.document(record.id, "current", context);
		assert.deepEqual(read, { ...stored, deltasSinceBase: 0 });
		const found = await f.storage.findDocument({ kind: "settings", scope: SESSION }, "current", context);
		assert.deepEqual(found, stored.record);
		assert.equal(await f.storage.document(await f.mint(), "current", context), undefined);
	});

	it("applies changes in order and counts them from the newest whole value", async (f) => {
		const { id } = await f.transcript(0);
		for (const record of [await f.document(), await f.conversationDocument(id)]) {
			await f.commit(create(record, { list: [1], text: "a", gone: true }));
			await f.commit(delta(record.id, [["p", ["list"], 1, 0, [2, { deep: 3 }]]]));
			await f.commit(
				delta(record.id, [
					["a", ["text"], "b"],
					["d", ["gone"]],
				]),
			);
			await f.commit(delta(record.id, []));
			const read = await f.storage.document(record.id, "current", context);
			assert.deepEqual(read?.value, { list: [1, 2, { deep: 3 }], text: "ab" });
			assert.equal(read?.deltasSinceBase, 3);
			await f.commit(base(record.id, { fresh: 1 }, 2));
			await f.commit(delta(record.id, [["r", { replaced: true }]], 2));
			const later = await f.storage.document(record.id, "current", context);
			assert.deepEqual(later?.value, { replaced: true });
			assert.deepEqual([later?.version, later?.deltasSinceBase], [2, 1]);
		}
	});

	it("tells a singleton from a family's members, the empty key included", async (f) => {
		const all = [
			await f.document({ kind: "k" }),
			await f.document({ kind: "k", key: "" }),
			await f.document({ kind: "k", key: "a" }),
			await f.document({ kind: "k", key: ":a" }),
			await f.document({ kind: "k", key: "\ud800" }),
			await f.document({ kind: "k", key: "\ufffd" }),
			await f.document({ kind: "k\0", key: "a" }),
		];
		await f.commit(...all.map((record, n) => create(record, { n })));
		for (const record of all) {
			const { kind, key, scope } = record;
			assert.equal((await f.storage.findDocument({ kind, key, scope }, "current", context))?.id, record.id);
		}
		const absent = { kind: "k", key: "b", scope: SESSION };
		assert.equal(await f.storage.findDocument(absent, "current", context), undefined);
	});

	it("keeps scopes apart", async (f) => {
		const { id } = await f.transcript(0);
		const other = await f.transcript(0);
		const all = [
			await f.document(),
			await f.conversationDocument(id),
			await f.conversationDocument(other.id, { history: "latest", fork: "initial" }),
			await f.document({ scope: { kind: "task", taskId: id } }),
			await f.document({ scope: { kind: "task", taskId: await f.mint() } }),
		];
		await f.commit(...all.map((record, n) => create(record, { n })));
		for (const { id: documentId, scope } of all) {
			const found = await f.storage.findDocument({ kind: "state", scope }, "current", context);
			assert.equal(found?.id, documentId);
			const page = await f.storage.scanDocuments({ scope, at: "current" }, 9, undefined, context);
			assert.deepEqual(ids(page.items), [documentId]);
		}
	});

	it("scans the living documents of one scope by id, also of one kind only", async (f) => {
		const all: DocumentCreate[] = [];
		for (const kind of ["a", "b"])
			for (let i = 0; i < 4; i++) all.push(await f.document({ kind, key: `k${9 - i}` }));
		await f.commit(...all.map((record) => create(record, {})));
		await f.commit(retire(all[0]!.id), retire(all[5]!.id));
		const living = ids(all).filter((id) => id !== all[0]!.id && id !== all[5]!.id);
		for (const limit of [1, 2, 20]) {
			const scan = (kind?: string): Promise<DocumentRecord[]> =>
				readAll(limit, (cursor) =>
					f.storage.scanDocuments({ scope: SESSION, at: "current", kind }, limit, cursor, context),
				);
			assert.deepEqual(ids(await scan()), living);
			assert.deepEqual(
				ids(await scan("b")),
				living.filter((id) => id >= all[4]!.id),
			);
			assert.deepEqual(await scan("c"), []);
		}
	});

	it("hides a retired document from the present and keeps its lifetime", async (f) => {
		const record = await f.document();
		const address = { kind: "state", scope: SESSION };
		const createdAt = await f.commit(create(record, { a: 1 }));
		const retiredAt = await f.commit(retire(record.id));
		const later = await f.commit();
		assert.equal(await f.storage.document(record.id, "current", context), undefined);
		assert.equal(await f.storage.findDocument(address, "current", context), undefined);
		const find = (at: number) => f.storage.findDocument(address, at as never, context);
		assert.equal(await find(createdAt - 1), undefined);
		assert.deepEqual(await find(createdAt), { ...record, createdAt, retiredAt });
		assert.deepEqual((await find(retiredAt - 1))?.id, record.id);
		assert.equal(await find(retiredAt), undefined);
		assert.equal(await find(later), undefined);
	});

	it("lets a new document take a retired one's place in the same commit, in either order", async (f) => {
		let current = await f.document();
		await f.commit(create(current, { n: 0 }));
		for (const newFirst of [true, false]) {
			const next = await f.document();
			const writes = [create(next, { n: 1 }), retire(current.id)];
			const seq = await f.commit(...(newFirst ? writes : writes.reverse()));
			const address: DocumentAddress = { kind: "state", scope: SESSION };
			assert.equal((await f.storage.findDocument(address, "current", context))?.id, next.id);
			assert.equal((await f.storage.findDocument(address, seq, context))?.id, next.id);
			const before = await f.storage.findDocument(address, (seq - 1) as never, context);
			assert.equal(before?.id, current.id);
			current = next;
		}
	});

	it("gives a document that is created and retired in one commit an empty life", async (f) => {
		const { id } = await f.transcript(0);
		const kept = await f.conversationDocument(id);
		await f.commit(create(kept, { kept: true }));
		for (const history of ["rewindable", "latest"]) {
			const record = await f.conversationDocument(id, { history, fork: "current" });
			const seq = await f.commit(create(record, { a: 1 }), retire(record.id));
			assert.equal(await f.storage.document(record.id, "current", context), undefined);
			const { kind, scope } = record;
			// Another document may go on living in the very place it was made for.
			assert.equal((await f.storage.findDocument({ kind, scope }, "current", context))?.id, kept.id);
			assert.equal((await f.storage.findDocument({ kind, scope }, seq, context))?.id, kept.id);
		}
	});

	it("takes a last change together with the retirement, in either order", async (f) => {
		const { id } = await f.transcript(0);
		for (const retireFirst of [true, false]) {
			const record = await f.conversationDocument(id);
			await f.commit(create(record, { n: 0 }));
			const writes = [delta(record.id, [["s", ["n"], 1]]), retire(record.id)];
			const seq = await f.commit(...(retireFirst ? writes.reverse() : writes));
			assert.equal(await f.storage.document(record.id, "current", context), undefined);
			assert.equal(await f.storage.document(record.id, seq, context), undefined);
			const before = await f.storage.document(record.id, (seq - 1) as never, context);
			assert.deepEqual(before?.value, { n: 0 });
			await f.assertRejected(base(record.id, {}));
		}
	});
};

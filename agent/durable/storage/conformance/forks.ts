import assert from "node:assert/strict";
import type { ConversationId } from "../../types/ids.ts";
import { append, context, type Fixture, type Group, ids, readAll } from "./fixture.ts";

export const forks: Group = (it) => {
	it("shows a fork its parent's entries up to the fork point, then its own", async (f) => {
		const { parent, child, seenByChild } = await family(f);
		await assertSees(f, child.id, seenByChild);
		await assertSees(f, parent.id, ids(parent.entries));
	});

	it("bounds every ancestor by every fork point on the way", async (f) => {
		const { parent, child } = await family(f);
		// Forked at an entry the child had inherited: of the child's own entries it sees none.
		const early = await f.transcript(1, {
			parent: { conversationId: child.id, at: parent.entries[0]!.id },
		});
		await assertSees(f, early.id, [parent.entries[0]!.id, early.entries[0]!.id]);
		const late = await f.transcript(1, { parent: { conversationId: child.id, at: child.entries[0]!.id } });
		await assertSees(f, late.id, [
			...ids(parent.entries.slice(0, 2)),
			child.entries[0]!.id,
			late.entries[0]!.id,
		]);
	});

	it("shows a fork nothing that its parent appends later, and siblings nothing of each other", async (f) => {
		const { parent, child, seenByChild } = await family(f);
		const at = parent.entries[1]!.id;
		const sibling = await f.transcript(1, { parent: { conversationId: parent.id, at } });
		await f.append(parent.id, 2);
		await assertSees(f, child.id, seenByChild);
		await assertSees(f, sibling.id, [...ids(parent.entries.slice(0, 2)), sibling.entries[0]!.id]);
	});

	it("reads an inherited entry through the fork, and none beyond the fork point", async (f) => {
		const { parent, child } = await family(f);
		const [first, , beyond] = parent.entries;
		const inherited = await f.storage.entry(child.id, first!.id, context);
		assert.deepEqual(inherited, await f.storage.entry(first!.id, context));
		assert.equal(await f.storage.entry(child.id, beyond!.id, context), undefined);
		assert.equal(await f.storage.entry(parent.id, child.entries[0]!.id, context), undefined);
	});

	it("keeps to bounds across the fork point", async (f) => {
		const { parent, child } = await family(f);
		const query = {
			conversationId: child.id,
			minEntryId: parent.entries[1]!.id,
			maxEntryId: child.entries[0]!.id,
		};
		for (const order of ["ascending", "descending"] as const) {
			const { items } = await f.storage.scanEntries({ ...query, order }, 9, undefined, context);
			const expected = [parent.entries[1]!.id, child.entries[0]!.id];
			assert.deepEqual(ids(items), order === "ascending" ? expected : expected.reverse());
		}
		const own = { conversationId: child.id, minEntryId: child.entries[0]!.id };
		const { items } = await f.storage.scanEntries(own, 9, undefined, context);
		assert.deepEqual(ids(items), ids(child.entries).reverse());
	});

	it("inherits a head marker only from before the fork point", async (f) => {
		const { parent, child } = await family(f);
		const late = await f.entry(parent.id, { head: parent.entries[0]!.id });
		await f.commit(append(late));
		assert.equal(await f.storage.findLatestHeadMarker(child.id, undefined, context), undefined);
		const heir = await f.transcript(1, { parent: { conversationId: parent.id, at: late.id } });
		assert.deepEqual(await f.storage.findLatestHeadMarker(heir.id, undefined, context), late);
		const own = await f.entry(heir.id, { head: heir.entries[0]!.id });
		await f.commit(append(own));
		assert.deepEqual(await f.storage.findLatestHeadMarker(heir.id, undefined, context), own);
		const before = heir.entries[0]!.id;
		assert.deepEqual(await f.storage.findLatestHeadMarker(heir.id, before, context), late);
	});

	it("walks a long line of forks", async (f) => {
		let { id, entries } = await f.transcript(1);
		const seen = ids(entries);
		for (let i = 0; i < 30; i++) {
			const at = seen[seen.length - 1]!;
			({ id, entries } = await f.transcript(i % 3, { parent: { conversationId: id, at } }));
			seen.push(...ids(entries));
		}
		await assertSees(f, id, seen);
	});
};

/** A parent of four entries, and a child forked at the second with two of its own. */
async function family(f: Fixture) {
	const parent = await f.transcript(3);
	const at = parent.entries[1]!.id;
	const child = await f.transcript(1, { parent: { conversationId: parent.id, at } });
	parent.entries.push(...(await f.append(parent.id, 1)));
	child.entries.push(...(await f.append(child.id, 1)));
	return { parent, child, seenByChild: [...ids(parent.entries.slice(0, 2)), ...ids(child.entries)] };
}

async function assertSees(f: Fixture, conversationId: ConversationId, expected: number[]): Promise<void> {
	for (const order of ["ascending", "descending"] as const)
		for (const limit of [1, 2, 3, 50]) {
			const read = await readAll(limit, (cursor) =>
				f.storage.scanEntries({ conversationId, order }, limit, cursor, context),
			);
			assert.deepEqual(ids(read), order === "ascending" ? expected : expected.toReversed());
		}
	for (const id of expected) assert.ok(await f.storage.entry(conversationId, id as never, context));
}

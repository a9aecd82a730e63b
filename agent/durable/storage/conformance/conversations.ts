import assert from "node:assert/strict";
import { context, type Group, ids, put, readAll } from "./fixture.ts";

export const conversations: Group = (it) => {
	it("reads a conversation by id", async (f) => {
		const plain = await f.conversation();
		const owned = await f.conversation({
			parent: { conversationId: plain.id, at: await f.mint() },
			owner: { conversationId: plain.id, taskId: await f.mint() },
		});
		await f.commit(put(plain), put(owned));
		assert.deepEqual(await f.storage.conversation(plain.id, context), plain);
		assert.deepEqual(await f.storage.conversation(owned.id, context), owned);
		assert.equal(await f.storage.conversation(await f.mint(), context), undefined);
	});

	it("pages in both orders, oldest first by default", async (f) => {
		const all = [];
		for (let i = 0; i < 5; i++) all.push(await f.conversation());
		await f.commit(...all.map(put));
		for (const limit of [1, 2, 5, 9]) {
			const scan = (order?: "ascending" | "descending") =>
				readAll(limit, (cursor) => f.storage.scanConversations({ order }, limit, cursor, context));
			assert.deepEqual(await scan(), all);
			assert.deepEqual(await scan("ascending"), all);
			assert.deepEqual(await scan("descending"), all.toReversed());
		}
	});

	it("finds conversations by either owner, or both", async (f) => {
		const [home, elsewhere] = [await f.conversation(), await f.conversation()];
		const [first, second] = [await f.mint(), await f.mint()];
		const owned = (conversationId: number, taskId: number) =>
			f.conversation({ owner: { conversationId, taskId } });
		const a = await owned(home.id, first);
		const b = await owned(home.id, second);
		const c = await owned(elsewhere.id, first);
		await f.commit(...[home, elsewhere, a, b, c].map(put));
		const scan = async (query: object) =>
			ids((await f.storage.scanConversations(query, 10, undefined, context)).items);
		assert.deepEqual(await scan({ ownerConversationId: home.id }), [a.id, b.id]);
		assert.deepEqual(await scan({ ownerTaskId: first }), [a.id, c.id]);
		assert.deepEqual(await scan({ ownerConversationId: home.id, ownerTaskId: first }), [a.id]);
		assert.deepEqual(await scan({ ownerConversationId: home.id, order: "descending" }), [b.id, a.id]);
		assert.deepEqual(await scan({ ownerTaskId: await f.mint() }), []);
	});

	it("goes on in a cursor's order when the query names none, and refuses the other one", async (f) => {
		const all = [await f.conversation(), await f.conversation(), await f.conversation()];
		await f.commit(...all.map(put));
		const { next } = await f.storage.scanConversations({ order: "descending" }, 1, undefined, context);
		const rest = await f.storage.scanConversations({}, 9, next, context);
		assert.deepEqual(ids(rest.items), [all[1]!.id, all[0]!.id]);
		await assert.rejects(f.storage.scanConversations({ order: "ascending" }, 9, next, context), /order/);
		await assert.rejects(f.storage.scanConversations({}, 9, { made: "up" }, context), /cursor/);
	});

	it("misses nothing that is added behind a cursor", async (f) => {
		const [a, b] = [await f.conversation(), await f.conversation()];
		await f.commit(put(a), put(b));
		const { next } = await f.storage.scanConversations({}, 1, undefined, context);
		const c = await f.conversation();
		await f.commit(put(c));
		assert.deepEqual(ids((await f.storage.scanConversations({}, 9, next, context)).items), [b.id, c.id]);
	});

	it("refuses a limit that is no page size, in every scan", async (f) => {
		const conversationId = (await f.transcript(1)).id;
		const scope = { kind: "session" } as const;
		for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
			const { storage } = f;
			const scans = [
				storage.scanConversations({}, limit, undefined, context),
				storage.scanEntries({ conversationId }, limit, undefined, context),
				storage.scanTasks({}, limit, undefined, context),
				storage.scanSubmissions({}, limit, undefined, context),
				storage.scanDocuments({ scope, at: "current" }, limit, undefined, context),
			];
			for (const result of await Promise.allSettled(scans)) assert.equal(result.status, "rejected");
		}
	});
};

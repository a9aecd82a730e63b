import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { DocumentScope } from "../../types/documents.ts";
import type { ConversationId } from "../../types/ids.ts";
import type { Storage, StorageWrite } from "../../types/storage.ts";
import {
	append,
	base,
	copy,
	create,
	createFixture,
	delta,
	put,
	readAll,
	retire,
	submission,
	task,
} from "../conformance/fixture.ts";

const context = BACKGROUND_CONTEXT;

/**
 * Five commits over all tables, with every kind of document write, each a batch. `committed` is called after each.
 * Two runs in fresh storages do exactly the same.
 */
export async function tellStory(storage: Storage, committed: () => Promise<void>): Promise<void> {
	const f = createFixture(storage);
	const commit = async (...writes: StorageWrite[]): Promise<void> => {
		await f.commit(...writes);
		await committed();
	};
	const root = await f.conversation({ id: 1 });
	const live = await f.conversationDocument(root.id, { kind: "live", history: "latest", fork: "current" });
	const agent = await f.conversationDocument(root.id, { kind: "agent" });
	await commit(put(root), create(live, { n: 0 }), create(agent, { model: "a" }));

	const work = await f.task(root.id);
	const input = await f.submission(root.id, { requestId: "r" });
	const first = await f.entry(root.id);
	await commit(
		append(first),
		task(work),
		submission(input),
		delta(live.id, [["s", ["n"], 1]]),
		delta(agent.id, [["s", ["model"], "b"]]),
	);
	await storage.flush(context);

	const child = await f.conversation({ parent: { conversationId: root.id, at: first.id } });
	const copied = await f.conversationDocument(child.id, { kind: "agent" });
	await commit(put(child), copy(copied, agent.id, "current"), delta(live.id, [["s", ["n"], 2]]));

	const next = await f.conversationDocument(root.id, { kind: "live", history: "latest", fork: "current" });
	const state = { status: "terminal", outcome: { status: "completed", result: null } } as const;
	await commit(
		append(await f.entry(child.id, { head: first.id })),
		task({ ...work, state, memos: undefined }),
		submission({ ...input, status: "placed", entry: first.id } as never),
		base(live.id, { n: 3 }),
		retire(live.id),
		create(next, { n: 0 }),
	);
	await storage.flush(context);
	await commit(base(next.id, { n: 1 }, 2), append(await f.entry(root.id)), retire(agent.id));
}

/** Everything a store holds, as plain values that can be compared. */
export async function dump(storage: Storage): Promise<unknown> {
	const conversations = await readAll(9, (cursor) => storage.scanConversations({}, 9, cursor, context));
	const parts = [];
	for (const { id } of conversations) parts.push(await dumpConversation(storage, id));
	return {
		conversations,
		parts,
		tasks: await readAll(9, (cursor) => storage.scanTasks({}, 9, cursor, context)),
		submissions: await readAll(9, (cursor) => storage.scanSubmissions({}, 9, cursor, context)),
	};
}

async function dumpConversation(storage: Storage, conversationId: ConversationId): Promise<unknown> {
	const scope: DocumentScope = { kind: "conversation", conversationId };
	const documents = await readAll(9, (cursor) =>
		storage.scanDocuments({ scope, at: "current" }, 9, cursor, context),
	);
	const values = [];
	for (const { id } of documents) values.push(await storage.document(id, "current", context));
	return {
		entries: await readAll(9, (cursor) => storage.scanEntries({ conversationId }, 9, cursor, context)),
		head: await storage.findLatestHeadMarker(conversationId, undefined, context),
		byRequest: await storage.submissionByRequest(conversationId, "r", context),
		values,
	};
}

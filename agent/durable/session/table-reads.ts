import type { Context } from "@earendil-works/chord";
import type { EntryId } from "../types/ids.ts";
import type { Tx } from "../types/session.ts";
import type { Storage } from "../types/storage.ts";

type Reads = Pick<
	Tx,
	| "conversation"
	| "entry"
	| "task"
	| "submission"
	| "scanConversations"
	| "scanEntries"
	| "scanTasks"
	| "submissionByRequest"
	| "latestHeadMarker"
>;

/** A commit's reads of the tables as they were committed. `check` throws when one isn't allowed any more. */
export function createTableReads(storage: Storage, check: (what: string) => void, context: Context): Reads {
	return {
		async conversation(id) {
			check("A conversation");
			return storage.conversation(id, context);
		},
		async entry(tokenOrId: EntryId | { readonly kind: string }, id?: EntryId) {
			check("An entry");
			const entryId = typeof tokenOrId === "number" ? tokenOrId : id!;
			const entry = (await storage.entry(entryId, context))?.entry;
			const asked = typeof tokenOrId === "number" || entry?.kind === tokenOrId.kind;
			// biome-ignore lint/suspicious/noExplicitAny: one implementation serves the typed and the untyped overload
			return asked ? (entry as any) : undefined;
		},
		async task(id) {
			check("A task");
			return storage.task(id, context);
		},
		async submission(id) {
			check("A submission");
			return storage.submission(id, context);
		},
		async scanConversations(query, limit, cursor) {
			check("The table of conversations");
			return storage.scanConversations(query, limit, cursor, context);
		},
		async scanEntries(query, limit, cursor) {
			check("The table of entries");
			return storage.scanEntries(query, limit, cursor, context);
		},
		async scanTasks(query, limit, cursor) {
			check("The table of tasks");
			return storage.scanTasks(query, limit, cursor, context);
		},
		async submissionByRequest(conversationId, requestId) {
			check("A submission");
			return storage.submissionByRequest(conversationId, requestId, context);
		},
		async latestHeadMarker(conversationId) {
			check("The head marker");
			return storage.findLatestHeadMarker(conversationId, undefined, context);
		},
	};
}

import type { Context } from "@earendil-works/chord";
import type { DocumentCreate } from "../types/documents.ts";
import type { ConversationId, DocumentId, EntryId } from "../types/ids.ts";
import type { Cursor, DocumentPoint, Storage } from "../types/storage.ts";

/** A document of the parent that a fork starts with. */
export type PlannedCopy = {
	readonly create: Omit<DocumentCreate, "id" | "scope">;
	readonly source: { readonly id: DocumentId; readonly at: DocumentPoint };
};

/**
 * What a fork at `at` starts with: each of the parent's documents by its own fork policy, as committed. Rejects when
 * the entry isn't visible in the parent.
 */
export async function planFork(
	storage: Storage,
	parentId: ConversationId,
	at: EntryId,
	context: Context,
): Promise<PlannedCopy[]> {
	const visible = await storage.entry(parentId, at, context);
	if (visible === undefined) throw new Error(`Entry ${at} isn't part of conversation ${parentId}.`);
	const source = visible.entry.conversationId;
	return [
		...(await copiesOf(storage, source, visible.commitSeq, "asOf", context)),
		...(await copiesOf(storage, parentId, "current", "current", context)),
	];
}

async function copiesOf(
	storage: Storage,
	conversationId: ConversationId,
	at: DocumentPoint,
	policy: "asOf" | "current",
	context: Context,
): Promise<PlannedCopy[]> {
	const copies: PlannedCopy[] = [];
	const scope = { kind: "conversation", conversationId } as const;
	let cursor: Cursor | undefined;
	do {
		const page = await storage.scanDocuments({ scope, at }, 100, cursor, context);
		for (const record of page.items) {
			if (!("fork" in record) || record.fork !== policy) continue;
			const { kind, key, history, fork } = record;
			copies.push({
				create: { kind, ...(key === undefined ? {} : { key }), history, fork } as PlannedCopy["create"],
				source: { id: record.id, at },
			});
		}
		cursor = page.next;
	} while (cursor !== undefined);
	return copies;
}

import { StorageRejected } from "../errors.ts";
import type { DocumentCreate, DocumentRecord } from "../types/documents.ts";
import type { DocumentId } from "../types/ids.ts";
import type { DocumentContent, DocumentPoint } from "../types/storage.ts";
import { isAliveAt, isRewindable } from "./materialize.ts";

/** What a write needs to know of the incarnation it changes. */
export type DocumentHead = {
	readonly isRetired: boolean;
	readonly isRewindable: boolean;
	/** The definition version of its newest content. */
	readonly version: number;
};

/** Checks a change or a retirement against what is stored. Throws `StorageRejected`. */
export function checkChange(id: DocumentId, head: DocumentHead, content: DocumentContent | undefined): void {
	if (head.isRetired) throw new StorageRejected(`Document ${id} is retired; nothing was stored.`);
	if (content?.kind === "delta" && content.version !== head.version)
		throw new StorageRejected(
			`Document ${id} is stored as version ${head.version}; a change as version ${content.version} must store the whole value.`,
		);
}

/** The error of changing or retiring a document that isn't there. */
export function documentAbsent(id: DocumentId): StorageRejected {
	return new StorageRejected(`Document ${id} does not exist; nothing was stored.`);
}

/** Checks that `source` may be copied into `record`. Throws `StorageRejected`. */
export function checkCopy(
	record: DocumentCreate,
	source: DocumentRecord | undefined,
	at: DocumentPoint,
): asserts source is DocumentRecord {
	const refuse = (why: string) =>
		new StorageRejected(`Document ${record.id} can't be copied: ${why}. Nothing was stored.`);
	if (source === undefined) throw refuse("its source does not exist");
	if (source.scope.kind !== "conversation" || record.scope.kind !== "conversation")
		throw refuse("only a conversation's documents are copied");
	if (at !== "current" && !isRewindable(source)) throw refuse("its source keeps its current value only");
	if (!isAliveAt(source, at)) throw refuse("its source was not alive at that point");
	if (!isSameDefinition(source, record)) throw refuse("it is declared differently from its source");
}

function isSameDefinition(a: DocumentCreate | DocumentRecord, b: DocumentCreate | DocumentRecord): boolean {
	const conversationPart = (record: DocumentCreate | DocumentRecord) =>
		"history" in record ? `${record.history}/${record.fork}` : "";
	return a.kind === b.kind && a.key === b.key && conversationPart(a) === conversationPart(b);
}

/** The error of a second living document at one place. */
export function addressTaken(record: DocumentCreate): StorageRejected {
	const name = record.key === undefined ? record.kind : `${record.kind} "${record.key}"`;
	return new StorageRejected(`A document ${name} already lives there; retire it first. Nothing was stored.`);
}

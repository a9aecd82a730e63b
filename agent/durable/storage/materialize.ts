import { apply } from "@earendil-works/chord/delta";
import type { DocumentRecord, Op } from "../types/documents.ts";
import type { DocumentId } from "../types/ids.ts";
import type { JsonObject } from "../types/json.ts";
import type { DocumentPoint, StoredDocument } from "../types/storage.ts";

/** One stored content record of a document; `content` is the JSON of the whole value, or of the operations. */
export type ContentRecord = {
	readonly version: number;
	readonly isBase: boolean;
	readonly content: string;
};

/**
 * Rebuilds a document from its newest base and the deltas after it, oldest first. Everything is parsed here, so the
 * value belongs to the caller alone and may be built in place.
 *
 * A missing base, a version that changes inside the tail or a delta that doesn't fit is an error, never an absent
 * document. It concerns this document only, so it isn't `StorageDamaged`, which gives the whole store up.
 */
export function materialize(
	record: DocumentRecord,
	contents: readonly ContentRecord[],
): Omit<StoredDocument, "record"> {
	const [base, ...deltas] = contents;
	if (base === undefined || !base.isBase) throw unreadable(record.id, "its base is missing");
	let value = JSON.parse(base.content) as JsonObject;
	for (const delta of deltas) {
		if (delta.version !== base.version) throw unreadable(record.id, "its version changes between two bases");
		try {
			value = apply(value, JSON.parse(delta.content) as Op[]);
		} catch (error) {
			throw unreadable(record.id, "a stored change does not fit its value", error);
		}
	}
	return { version: base.version, value, deltasSinceBase: deltas.length };
}

function unreadable(id: DocumentId, what: string, cause?: unknown): Error {
	return new Error(`Document ${id} can't be read: ${what}. A backup of the store may still have it.`, {
		cause,
	});
}

/** Whether the incarnation was alive at that point: from its creation on, up to its retirement. */
export function isAliveAt(
	record: Pick<DocumentRecord, "createdAt" | "retiredAt">,
	at: DocumentPoint,
): boolean {
	if (at === "current") return record.retiredAt === undefined;
	return record.createdAt <= at && (record.retiredAt === undefined || at < record.retiredAt);
}

/** Whether every past value stays readable. All other documents keep their current value only. */
export function isRewindable(record: Pick<DocumentRecord, "scope"> & { readonly history?: string }): boolean {
	return record.scope.kind === "conversation" && record.history === "rewindable";
}

/** The error of asking a document that keeps its current value only for an earlier one. */
export function notRewindable(id: DocumentId): RangeError {
	return new RangeError(`Document ${id} keeps its current value only; read it at "current".`);
}

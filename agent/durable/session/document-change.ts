import type { DocumentCreate, DocumentRecord, Op } from "../types/documents.ts";
import type { DocumentId, Seq } from "../types/ids.ts";
import type { JsonObject } from "../types/json.ts";
import type { DocumentChange } from "../types/session.ts";
import type { DocumentAddress, DocumentContent, StorageWrite } from "../types/storage.ts";
import { diff } from "./diff.ts";
import type { AnyDocDefinition } from "./document-address.ts";
import type { LoadedDocument } from "./document-table.ts";

/** A document's change, ready to be stored. */
export type PreparedDocument = {
	readonly address: DocumentAddress;
	readonly writes: readonly StorageWrite[];
	/** What the table holds after the commit; null once retired. */
	after(seq: Seq): LoadedDocument | null;
	/** Undefined when watchers have nothing to see. */
	publication(seq: Seq): DocumentChange | undefined;
};

/** What a commit did to one document: where it started, and what its callback made of it. */
export type EditedDocument = {
	readonly address: DocumentAddress;
	readonly definition: AnyDocDefinition;
	readonly base: JsonObject;
	readonly candidate: JsonObject;
	readonly retired: boolean;
	readonly origin:
		| { readonly kind: "stored"; readonly loaded: LoadedDocument }
		| { readonly kind: "created"; readonly create: DocumentCreate };
};

/** Works out what to store. Undefined when nothing changed. */
export function prepareChange(document: EditedDocument): PreparedDocument | undefined {
	const { definition, origin, base, candidate, retired } = document;
	const ops = candidate === base ? [] : diff(base, candidate);
	const value = ops.length === 0 ? base : candidate;
	const { version } = definition;
	if (origin.kind === "created")
		return prepared(document, value, [["r", value]], { version, kind: "base", value });
	const { storedVersion, deltasSinceBase } = origin.loaded;
	const migrates = storedVersion !== version;
	if (ops.length === 0 && !migrates) return retired ? prepared(document, value, ops, undefined) : undefined;
	const asBase = migrates || (definition.checkpointWhen?.(value, ops, { deltasSinceBase }) ?? false);
	return prepared(
		document,
		value,
		ops,
		asBase ? { version, kind: "base", value } : { version, kind: "delta", ops },
	);
}

function prepared(
	document: EditedDocument,
	value: JsonObject,
	ops: readonly Op[],
	content: DocumentContent | undefined,
): PreparedDocument {
	const { address, definition, origin, retired } = document;
	const isCreated = origin.kind === "created";
	const id = isCreated ? origin.create.id : origin.loaded.record.id;
	const record = (seq: Seq): DocumentRecord =>
		isCreated ? ({ ...origin.create, createdAt: seq } as DocumentRecord) : origin.loaded.record;
	const deltasSinceBase = !isCreated && content?.kind === "delta" ? origin.loaded.deltasSinceBase + 1 : 0;
	return {
		address,
		writes: [
			...contentWrites(id, origin, content),
			...(retired ? [{ type: "document.retire" as const, id }] : []),
		],
		after: (seq) =>
			retired
				? null
				: {
						record: record(seq),
						storedVersion: definition.version,
						version: definition.version,
						value,
						deltasSinceBase,
					},
		publication: (seq) => {
			// One that came and went in the same commit was never there for anyone to see.
			if (retired) return isCreated ? undefined : retirement(record(seq), seq);
			return ops.length === 0 ? undefined : { record: record(seq), value, ops, created: isCreated };
		},
	};
}

function contentWrites(
	id: DocumentId,
	origin: EditedDocument["origin"],
	content: DocumentContent | undefined,
): StorageWrite[] {
	if (content === undefined) return [];
	if (origin.kind === "stored") return [{ type: "document.change", id, content }];
	return content.kind === "base" ? [{ type: "document.create", record: origin.create, content }] : [];
}

/** The end of a document that the commit didn't open. */
export function prepareRetirement(address: DocumentAddress, record: DocumentRecord): PreparedDocument {
	return {
		address,
		writes: [{ type: "document.retire", id: record.id }],
		after: () => null,
		publication: (seq) => retirement(record, seq),
	};
}

function retirement(record: DocumentRecord, seq: Seq): DocumentChange {
	return { record: { ...record, retiredAt: seq }, value: null, ops: [["r", null]], created: false };
}

import type { Context } from "@earendil-works/chord";
import { applyImmutable } from "@earendil-works/chord/delta";
import { type Draft, Immer } from "immer";
import type { DocumentCreate, DocumentRecord, Op } from "../types/documents.ts";
import type { DocumentId, Seq } from "../types/ids.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { DocumentChange } from "../types/session.ts";
import type { DocumentAddress, DocumentContent, Storage, StorageWrite } from "../types/storage.ts";
import { diff } from "./diff.ts";
import { type AnyDocDefinition, addressKey } from "./document-address.ts";
import type { DocumentTable, LoadedDocument } from "./document-table.ts";
import { copyStrictJson } from "./strict-json.ts";

/** Committed values are shared and never changed; freezing them at run time would only cost. */
const immer = new Immer({ autoFreeze: false });

type OpenDocument = {
	readonly address: DocumentAddress;
	readonly definition: AnyDocDefinition;
	readonly base: JsonObject;
	readonly draft: Draft<JsonObject>;
	/** Undefined for a document that this commit creates. */
	readonly loaded: LoadedDocument | undefined;
	readonly create: DocumentCreate | undefined;
	retired: boolean;
};

/** A document's change, ready to be stored. */
export type PreparedDocument = {
	readonly address: DocumentAddress;
	readonly writes: readonly StorageWrite[];
	/** What the table holds after the commit; null once retired. */
	after(seq: Seq): LoadedDocument | null;
	/** Undefined when watchers have nothing to see. */
	publication(seq: Seq): DocumentChange | undefined;
};

/** The documents one commit has opened: drafts while its callback runs, prepared changes afterwards. */
export function createOpenDocuments(storage: Storage, table: DocumentTable, context: Context) {
	const open = new Map<string, Promise<OpenDocument>>();
	const settled: OpenDocument[] = [];
	let opening = 0;
	let sealed = false;

	async function acquire(
		address: DocumentAddress,
		definition: AnyDocDefinition,
		seed: JsonValue | undefined,
	): Promise<OpenDocument> {
		const loaded = await table.load(address, definition, context);
		if (loaded === null) return create(address, definition, seed);
		return settle(draftOf(address, definition, loaded));
	}

	function settle(document: OpenDocument): OpenDocument {
		if (sealed) {
			immer.finishDraft(document.draft);
			throw new Error("The commit's callback had returned before this document was open; await tx.doc().");
		}
		settled.push(document);
		return document;
	}

	async function create(
		address: DocumentAddress,
		definition: AnyDocDefinition,
		seed: JsonValue | undefined,
	): Promise<OpenDocument> {
		const base = copyStrictJson(definition.initial(seed), definition.kind) as JsonObject;
		const id = await storage.mintId<DocumentId>();
		return settle({
			address,
			definition,
			base,
			draft: immer.createDraft(base),
			loaded: undefined,
			create: createRecord(id, address, definition),
			retired: false,
		});
	}

	function openAt(
		address: DocumentAddress,
		definition: AnyDocDefinition,
		seed?: JsonValue,
	): Promise<OpenDocument> {
		const key = addressKey(address);
		let document = open.get(key);
		if (document === undefined) {
			opening++;
			document = acquire(address, definition, seed).finally(() => opening--);
			open.set(key, document);
		}
		return document;
	}

	return {
		/** Get-or-create; the first acquisition of an address decides its seed. */
		async draft(
			address: DocumentAddress,
			definition: AnyDocDefinition,
			seed?: JsonValue,
		): Promise<Draft<JsonObject>> {
			const document = await openAt(address, definition, seed);
			if (!document.retired) return document.draft;
			const next = create(address, definition, seed);
			open.set(addressKey(address), next);
			return (await next).draft;
		},

		/** Retires what is there; does nothing when there is nothing. */
		async retire(address: DocumentAddress, definition: AnyDocDefinition): Promise<void> {
			const key = addressKey(address);
			if (!open.has(key) && (await table.load(address, definition, context)) === null) return;
			const document = await openAt(address, definition);
			document.retired = true;
		},

		/** Addresses this commit created documents at, for one scope. */
		createdIn(matches: (address: DocumentAddress) => boolean): OpenDocument[] {
			return settled.filter((document) => document.create !== undefined && matches(document.address));
		},

		/** Ends every draft and computes what to store. Synchronous: no draft outlives the commit's callback. */
		prepare(): PreparedDocument[] {
			sealed = true;
			if (opening > 0) {
				this.abort();
				throw new Error(
					"A document was still being opened when the commit's callback returned; await tx.doc().",
				);
			}
			const finished = settled.map((document) => ({
				document,
				candidate: immer.finishDraft(document.draft) as JsonObject,
			}));
			return finished.map(({ document, candidate }) => prepareDocument(document, candidate)).filter(isSome);
		},

		/** Revokes every draft; nothing is stored. */
		abort(): void {
			sealed = true;
			for (const document of settled) immer.finishDraft(document.draft);
		},
	};
}

export type OpenDocuments = ReturnType<typeof createOpenDocuments>;

function draftOf(
	address: DocumentAddress,
	definition: AnyDocDefinition,
	loaded: LoadedDocument,
): OpenDocument {
	return {
		address,
		definition,
		base: loaded.value,
		draft: immer.createDraft(loaded.value),
		loaded,
		create: undefined,
		retired: false,
	};
}

function createRecord(
	id: DocumentId,
	address: DocumentAddress,
	definition: AnyDocDefinition,
): DocumentCreate {
	const named = { id, kind: address.kind, ...(address.key === undefined ? {} : { key: address.key }) };
	if (definition.scope === "conversation")
		return {
			...named,
			scope: address.scope,
			history: definition.history,
			fork: definition.fork,
		} as DocumentCreate;
	return { ...named, scope: address.scope } as DocumentCreate;
}

function prepareDocument(document: OpenDocument, candidate: JsonObject): PreparedDocument | undefined {
	const { definition, loaded, create, base } = document;
	if (create !== undefined) {
		const value = candidate === base ? base : (copyStrictJson(candidate, definition.kind) as JsonObject);
		return prepared(document, value, [["r", value]], {
			version: definition.version,
			kind: "base",
			value,
		});
	}
	const { storedVersion, deltasSinceBase } = loaded!;
	const ops = candidate === base ? [] : diff(base, candidate);
	const migrates = storedVersion !== definition.version;
	if (ops.length === 0 && !migrates) {
		if (!document.retired) return undefined;
		return prepared(document, base, [], undefined);
	}
	const value = applyImmutable<JsonObject>(base, ops);
	const asBase = migrates || (definition.checkpointWhen?.(value, ops, { deltasSinceBase }) ?? false);
	return prepared(
		document,
		value,
		ops,
		asBase
			? { version: definition.version, kind: "base", value }
			: { version: definition.version, kind: "delta", ops },
	);
}

function prepared(
	document: OpenDocument,
	value: JsonObject,
	ops: readonly Op[],
	content: DocumentContent | undefined,
): PreparedDocument {
	const { address, loaded, create, definition, retired } = document;
	const id = create?.id ?? loaded!.record.id;
	const writes: StorageWrite[] = [];
	if (create !== undefined)
		writes.push({
			type: "document.create",
			record: create,
			content: content as Extract<DocumentContent, { kind: "base" }>,
		});
	else if (content !== undefined) writes.push({ type: "document.change", id, content });
	if (retired) writes.push({ type: "document.retire", id });
	const record = (seq: Seq): DocumentRecord =>
		create === undefined ? loaded!.record : ({ ...create, createdAt: seq } as DocumentRecord);
	return {
		address,
		writes,
		after: (seq) =>
			retired
				? null
				: {
						record: record(seq),
						storedVersion: definition.version,
						version: definition.version,
						value,
						deltasSinceBase: content?.kind === "delta" ? loaded!.deltasSinceBase + 1 : 0,
					},
		publication: (seq) => {
			if (retired)
				return {
					record: { ...record(seq), retiredAt: seq },
					value: null,
					ops: [["r", null]],
					created: false,
				};
			if (ops.length === 0) return undefined;
			return { record: record(seq), value, ops, created: create !== undefined };
		},
	};
}

function isSome<T>(value: T | undefined): value is T {
	return value !== undefined;
}

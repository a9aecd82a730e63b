import type { Context } from "@earendil-works/chord";
import type { DocumentCreate, DocumentRecord } from "../types/documents.ts";
import type { DocumentId } from "../types/ids.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { DocumentAddress, DocumentPoint, Storage, StorageWrite } from "../types/storage.ts";
import {
	type AnyDocDefinition,
	addressKey,
	assertSameSemantics,
	createRecord,
	sameScope,
} from "./document-address.ts";
import {
	type EditedDocument,
	type PreparedDocument,
	prepareChange,
	prepareRetirement,
} from "./document-change.ts";
import { type DocumentTable, migrated } from "./document-table.ts";
import { createDraft } from "./draft.ts";
import { copyStrictJson } from "./strict-json.ts";

type OpenDocument = Omit<EditedDocument, "candidate" | "retired"> & {
	readonly draft: JsonObject;
	finish(): JsonObject;
	/** Set once the draft was taken back. */
	candidate: JsonObject | undefined;
	retired: boolean;
};

/** A document that the storage copies by itself for a fork, unless the commit opens it. */
export type DocumentCopy = {
	readonly create: DocumentCreate;
	readonly source: { readonly id: DocumentId; readonly at: DocumentPoint };
};

/** The documents one commit has opened: drafts while its callback runs, changes to store afterwards. */
export function createOpenDocuments(storage: Storage, table: DocumentTable, context: Context) {
	const open = new Map<string, Promise<OpenDocument>>();
	const settled: OpenDocument[] = [];
	const copies = new Map<string, DocumentCopy>();
	const retirements: PreparedDocument[] = [];
	let closed = false;

	async function acquire(
		address: DocumentAddress,
		definition: AnyDocDefinition,
		seed: JsonValue | undefined,
	): Promise<OpenDocument> {
		const copy = copies.get(addressKey(address));
		if (copy !== undefined) return takeCopy(copy, address, definition);
		const loaded = await table.load(address, definition, context);
		if (loaded === null) return create(address, definition, seed);
		return settle(address, definition, loaded.value, { kind: "stored", loaded });
	}

	/** A copied document that this commit opens becomes an ordinary creation from the copied value. */
	async function takeCopy(
		{ create: record, source }: DocumentCopy,
		address: DocumentAddress,
		definition: AnyDocDefinition,
	): Promise<OpenDocument> {
		assertSameSemantics(definition, record);
		const stored = (await storage.document(source.id, source.at, context))!;
		copies.delete(addressKey(address));
		const value = migrated(definition, stored.value, stored.version);
		return settle(address, definition, value, { kind: "created", create: record });
	}

	async function create(
		address: DocumentAddress,
		definition: AnyDocDefinition,
		seed: JsonValue | undefined,
	): Promise<OpenDocument> {
		const value = copyStrictJson(definition.initial(seed), definition.kind) as JsonObject;
		const id = await storage.mintId<DocumentId>();
		const record = createRecord(id, address, definition);
		return settle(address, definition, value, { kind: "created", create: record });
	}

	function settle(
		address: DocumentAddress,
		definition: AnyDocDefinition,
		base: JsonObject,
		origin: EditedDocument["origin"],
	): OpenDocument {
		if (closed)
			throw new Error("The commit's callback had returned before this document was open; await tx.doc().");
		const edited = { address, definition, base, origin, candidate: undefined, retired: false };
		const document: OpenDocument = { ...edited, ...createDraft(base) };
		settled.push(document);
		return document;
	}

	function openAt(
		address: DocumentAddress,
		definition: AnyDocDefinition,
		seed?: JsonValue,
	): Promise<OpenDocument> {
		const key = addressKey(address);
		let document = open.get(key);
		if (document === undefined) {
			document = acquire(address, definition, seed);
			open.set(key, document);
		}
		return document;
	}

	function finishDrafts(): void {
		for (const document of settled) document.candidate ??= document.finish();
	}

	return {
		/** Get-or-create; the first acquisition of an address decides its seed. */
		async draft(
			address: DocumentAddress,
			definition: AnyDocDefinition,
			seed?: JsonValue,
		): Promise<JsonObject> {
			const document = await openAt(address, definition, seed);
			if (!document.retired) return document.draft;
			const next = create(address, definition, seed);
			open.set(addressKey(address), next);
			return (await next).draft;
		},

		/** Retires what is there; does nothing when there is nothing. */
		async retire(address: DocumentAddress, definition: AnyDocDefinition): Promise<void> {
			const key = addressKey(address);
			if (!open.has(key) && !copies.has(key) && (await table.load(address, definition, context)) === null)
				return;
			const document = await openAt(address, definition);
			document.retired = true;
		},

		/** Retires a stored document whatever its definition, opened here or not. */
		retireStored(record: DocumentRecord): void {
			const known = settled.find(
				({ origin }) => origin.kind === "stored" && origin.loaded.record.id === record.id,
			);
			if (known !== undefined) known.retired = true;
			else {
				const { kind, scope, key } = record;
				retirements.push(prepareRetirement({ kind, scope, ...(key === undefined ? {} : { key }) }, record));
			}
		},

		/** Retires every document that this commit created in a scope. */
		retireCreated(scope: DocumentAddress["scope"]): void {
			for (const document of settled)
				if (document.origin.kind === "created" && sameScope(document.address.scope, scope))
					document.retired = true;
		},

		addCopy(copy: DocumentCopy): void {
			copies.set(addressKey(copy.create), copy);
		},
		copyWrites: (): StorageWrite[] =>
			[...copies.values()].map(({ create: record, source }) => ({ type: "document.copy", record, source })),
		/** Where the storage makes the value itself, so that nothing in memory knows it. */
		copiedAddresses: (): DocumentAddress[] => [...copies.values()].map(({ create: record }) => record),

		/** Takes the drafts back: no change to one counts any more. */
		revoke: finishDrafts,

		/** What to store of everything opened. */
		prepare(): PreparedDocument[] {
			closed = true;
			finishDrafts();
			const changes = settled.map((document) =>
				prepareChange({ ...document, candidate: document.candidate! }),
			);
			return [...changes.filter((change) => change !== undefined), ...retirements];
		},

		/** Ends every draft with nothing stored, and sees to its end what is still being read. */
		async abort(): Promise<void> {
			closed = true;
			finishDrafts();
			await Promise.allSettled(open.values());
		},
	};
}

export type OpenDocuments = ReturnType<typeof createOpenDocuments>;

import type { Context } from "@earendil-works/chord";
import type { DocumentRecord } from "../types/documents.ts";
import type { JsonObject } from "../types/json.ts";
import type { DocumentAddress, Storage } from "../types/storage.ts";
import { type AnyDocDefinition, addressKey, assertSameSemantics } from "./document-address.ts";
import { copyStrictJson } from "./strict-json.ts";

/** One committed document as the Session holds it. The value is immutable and shared. */
export type LoadedDocument = {
	readonly record: DocumentRecord;
	/** What the newest stored record says; differs from `version` after a migration in memory. */
	readonly storedVersion: number;
	/** The definition version `value` was made for. */
	readonly version: number;
	readonly value: JsonObject;
	readonly deltasSinceBase: number;
};

/** Documents kept in memory; the least recently used go first. */
const CAPACITY = 1_024;

/** A bounded cache of committed documents. An absent document is remembered as absent. */
export function createDocumentTable(storage: Storage) {
	const loaded = new Map<string, LoadedDocument | null>();

	function remember(key: string, document: LoadedDocument | null): void {
		loaded.delete(key);
		loaded.set(key, document);
		if (loaded.size > CAPACITY) loaded.delete(loaded.keys().next().value!);
	}

	return {
		/**
		 * The document if it is in memory in the definition's version; `undefined` when it has to be loaded. Throws when
		 * it was stored with other semantics than the definition's.
		 */
		peek(address: DocumentAddress, definition: AnyDocDefinition): LoadedDocument | null | undefined {
			const document = loaded.get(addressKey(address));
			if (document === undefined || document === null) return document;
			assertSameSemantics(definition, document.record);
			return document.version === definition.version ? document : undefined;
		},

		/** Reads and, where the definition is newer, migrates in memory. Call on the line only. */
		async load(
			address: DocumentAddress,
			definition: AnyDocDefinition,
			context: Context,
		): Promise<LoadedDocument | null> {
			const known = this.peek(address, definition);
			if (known !== undefined) {
				remember(addressKey(address), known);
				return known;
			}
			const record = await storage.findDocument(address, "current", context);
			const stored = record === undefined ? undefined : await storage.document(record.id, "current", context);
			if (stored === undefined) {
				remember(addressKey(address), null);
				return null;
			}
			assertSameSemantics(definition, stored.record);
			const document: LoadedDocument = {
				record: stored.record,
				storedVersion: stored.version,
				version: definition.version,
				value: migrated(definition, stored.value, stored.version),
				deltasSinceBase: stored.deltasSinceBase,
			};
			remember(addressKey(address), document);
			return document;
		},

		/** Takes over what a commit stored; null for a document that it retired. */
		adopt(address: DocumentAddress, document: LoadedDocument | null): void {
			remember(addressKey(address), document);
		},

		/** For a document whose committed value was made by the storage itself (a fork's copy). */
		forget(address: DocumentAddress): void {
			loaded.delete(addressKey(address));
		},
	};
}

export type DocumentTable = ReturnType<typeof createDocumentTable>;

/** A stored value as this definition understands it. Throws when it can't. */
export function migrated(definition: AnyDocDefinition, value: JsonObject, storedVersion: number): JsonObject {
	if (storedVersion === definition.version) return value;
	if (storedVersion > definition.version)
		throw new Error(
			`Document ${definition.kind} was stored by a newer version (${storedVersion}; this program knows ${definition.version}). Update the program.`,
		);
	if (definition.migrate === undefined)
		throw new Error(
			`Document ${definition.kind} was stored as version ${storedVersion}, and version ${definition.version} can't read it: it has no migrate().`,
		);
	return copyStrictJson(definition.migrate(value, storedVersion), definition.kind) as JsonObject;
}

import type { Message } from "@earendil-works/pi-ai";
import type { ConversationId, EntryId, TaskId } from "./ids.ts";
import type { JsonValue } from "./json.ts";

/** Changes what the model sees of an earlier entry; the entry itself stays as it is. */
export type ContextEdit = { readonly target: EntryId } & (
	| { readonly action: "omit"; readonly messages?: never }
	| { readonly action: "replace"; readonly messages: readonly Message[] }
);

/** One immutable transcript record. */
export type EntryRecord = {
	readonly id: EntryId;
	readonly conversationId: ConversationId;
	readonly kind: string;
	/** What the model sees of it; absent for records only people and programs read. */
	readonly model?: readonly Message[];
	readonly data?: JsonValue;
	/** First entry of the context from here on (itself for a reset). */
	readonly head?: EntryId;
	readonly edits?: readonly ContextEdit[];
	/** The task whose commit appended it. */
	readonly byTaskId?: TaskId;
	/** Wall clock of its commit, in ms since the epoch. */
	readonly at: number;
};

export type EntryDraft = Omit<EntryRecord, "id" | "conversationId" | "byTaskId" | "head" | "at"> & {
	readonly head?: EntryId | "self";
};

/** An entry whose `data` has type `D`; `never` means that the kind carries no data. */
export type TypedEntry<D extends JsonValue> = Omit<EntryRecord, "data"> &
	([D] extends [never] ? { readonly data?: never } : { readonly data: D });

export type TypedEntryDraft<D extends JsonValue> = Omit<EntryDraft, "kind" | "data"> &
	([D] extends [never] ? { readonly data?: never } : { readonly data: D });

/** A token for one kind of entry. */
export interface Entry<D extends JsonValue = never> {
	readonly kind: string;
	is(entry: EntryRecord | undefined): entry is TypedEntry<D>;
}

/** Defines a kind of entry; `is()` narrows a record to it. */
export function defineEntry<D extends JsonValue = never>(kind: string): Entry<D> {
	return {
		kind,
		is: (entry): entry is TypedEntry<D> => entry?.kind === kind,
	};
}

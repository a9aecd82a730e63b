import { StorageDamaged } from "../../errors.ts";

/**
 * Where the JSON texts of records lie. The tables keep a `Ref` for each instead of the text: the text itself in memory,
 * a place in a file elsewhere.
 */
export interface Texts<Ref> {
	/** Takes a text that the batch being prepared will store. Its `Ref` may be read once the batch is stored. */
	stage(head: TextHead, text: string): Ref;
	read(ref: Ref): string;
	/** The text is not needed any more. */
	drop(ref: Ref): void;
}

/**
 * What a text is, with what isn't in it:
 *
 *     ["conversation"] ["task"] ["submission"]   the record
 *     ["entry", seq]                             the record, and the commit that stored it
 *     ["document", seq]                          the record of an incarnation, and the commit that created it
 *     ["retired", seq]                           the id of an incarnation, and the commit that retired it
 *     ["base" | "delta", seq, id, version]       a document's content, and its commit, document and version
 */
export type TextHead = readonly [kind: TextKind, ...numbers: readonly number[]];

export type TextKind =
	| "conversation"
	| "entry"
	| "task"
	| "submission"
	| "document"
	| "retired"
	| "base"
	| "delta";

/** A text that has to be kept: where it lies, or itself when the tables hold the value. */
export type LiveText<Ref> = { readonly head: TextHead } & ({ readonly ref: Ref } | { readonly text: string });

/** Parses a record's text. Throws `StorageDamaged` when it is none any more. */
export function parseText<T>(text: string): T {
	try {
		return JSON.parse(text) as T;
	} catch (error) {
		throw new StorageDamaged("A stored record can't be read. Restore the store from a backup.", {
			cause: error,
		});
	}
}

/** Texts that stay in memory. */
export const memoryTexts: Texts<string> = {
	stage: (_head, text) => text,
	read: (text) => text,
	drop: () => {},
};

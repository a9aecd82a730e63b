import type { EntryRecord } from "./entries.ts";
import type { ConversationId } from "./ids.ts";
import type { Cursor } from "./storage.ts";

/** A piece of an entry's text around a hit, in one line. */
export type Snippet = {
	readonly text: string;
	/** What to highlight, as `[start, end)` in UTF-16 units of `text`; in order, apart from each other. */
	readonly highlights: readonly (readonly [start: number, end: number])[];
};

export type SearchHit = { readonly entry: EntryRecord; readonly snippet: Snippet };

export type SearchOptions = {
	/** Entries stored in it, or in one of them; those that a fork inherits are its parent's. */
	readonly conversationId?: ConversationId | readonly ConversationId[];
	/** The times of entries, in ms since the epoch, both inclusive. */
	readonly since?: number;
	readonly until?: number;
	/** How many hits at most, from 1 on. */
	readonly limit: number;
	/** Of the page before. */
	readonly cursor?: Cursor;
};

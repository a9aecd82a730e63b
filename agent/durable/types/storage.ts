import type { Context } from "@earendil-works/chord";
import type { ConversationRecord } from "./conversations.ts";
import type { DocumentCreate, DocumentRecord, DocumentScope, Op } from "./documents.ts";
import type { EntryRecord } from "./entries.ts";
import type { ConversationId, DocumentId, EntryId, Id, Seq, SubmissionId, TaskId } from "./ids.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { SubmissionRecord } from "./submissions.ts";
import type { AnyTaskRecord } from "./tasks.ts";

export type Page<T, C> = { readonly items: readonly T[]; readonly next?: C };

/** Owned by the backend; callers only hand it back to the same scan of the same storage. */
export type Cursor = Readonly<Record<string, JsonValue>>;

/** By id: `ascending` is oldest first, `descending` newest first. */
export type ScanOrder = "ascending" | "descending";

export type ConversationQuery = {
	readonly ownerConversationId?: ConversationId;
	readonly ownerTaskId?: TaskId;
	/** Default ascending. */
	readonly order?: ScanOrder;
};

export type EntryQuery = {
	readonly conversationId: ConversationId;
	/** Inclusive. */
	readonly minEntryId?: EntryId;
	/** Inclusive. */
	readonly maxEntryId?: EntryId;
	/** Default descending. */
	readonly order?: ScanOrder;
};

export type EntrySearch = {
	/** Words between white space, no character of them with a meaning of its own. An entry has to hold each. */
	readonly text: string;
	/** Entries stored in one of these; absent: anywhere. */
	readonly conversationIds?: readonly ConversationId[];
	/** The times of entries, in ms since the epoch, both inclusive. */
	readonly since?: number;
	readonly until?: number;
};

export type TaskQuery = {
	readonly conversationId?: ConversationId;
	readonly kind?: string;
	readonly status?: "pending" | "running" | "waiting" | "completing" | "terminal";
	readonly abortRequested?: boolean;
	readonly background?: boolean;
	/** Default ascending. */
	readonly order?: ScanOrder;
};

export type SubmissionQuery = {
	readonly conversationId?: ConversationId;
	readonly status?: SubmissionRecord["status"];
	/** In whichever conversation it was used. */
	readonly requestId?: string;
	/** Default ascending. */
	readonly order?: ScanOrder;
};

export type DocumentPoint = Seq | "current";

export type DocumentAddress = {
	readonly kind: string;
	readonly scope: DocumentScope;
	/** Absent for a singleton. */
	readonly key?: string;
};

export type DocumentQuery = {
	readonly scope: DocumentScope;
	readonly at: DocumentPoint;
	readonly kind?: string;
};

export type DocumentContent =
	| { readonly version: number; readonly kind: "base"; readonly value: JsonObject }
	| { readonly version: number; readonly kind: "delta"; readonly ops: readonly Op[] };

export type StoredDocument = {
	readonly record: DocumentRecord;
	readonly version: number;
	readonly value: JsonObject;
	/** Deltas replayed after the base that was selected. */
	readonly deltasSinceBase: number;
};

export type StorageWrite =
	| { readonly type: "conversation"; readonly value: ConversationRecord }
	| { readonly type: "entry"; readonly value: EntryRecord }
	| { readonly type: "task"; readonly value: AnyTaskRecord }
	| { readonly type: "submission"; readonly value: SubmissionRecord }
	| {
			readonly type: "document.create";
			readonly record: DocumentCreate;
			readonly content: Extract<DocumentContent, { kind: "base" }>;
	  }
	| {
			readonly type: "document.copy";
			readonly record: DocumentCreate;
			readonly source: { readonly id: DocumentId; readonly at: DocumentPoint };
	  }
	| { readonly type: "document.change"; readonly id: DocumentId; readonly content: DocumentContent }
	| { readonly type: "document.retire"; readonly id: DocumentId };

/**
 * One open store. The Session that owns it supplies valid records in one line of commits; a storage makes each batch
 * atomic, keeps ids unique, never gives out a value that a caller or a later commit could change (every read is
 * detached), and never keeps a reference to what it was handed.
 *
 * Errors: `StorageRejected` promises that nothing of the batch was stored; `StorageFull` is such a rejection because
 * there is no room. Any other error of `commit()` or `flush()` leaves it open whether the batch was stored, and is
 * fatal to the open Session.
 */
export interface Storage {
	commit(writes: readonly StorageWrite[], context: Context): Promise<Seq>;
	/**
	 * Resolves once every commit made before the call would survive a power cut. Calls of one tick share one flush. A
	 * storage that persists nothing resolves at once.
	 */
	flush(context: Context): Promise<void>;
	/** A number nobody has; never 0 or 1 (`ROOT_CONVERSATION_ID`), and never given out again after a reopen. */
	mintId<I extends Id<string>>(): Promise<I>;

	conversation(id: ConversationId, context: Context): Promise<ConversationRecord | undefined>;
	scanConversations(
		query: ConversationQuery,
		limit: number,
		cursor: Cursor | undefined,
		context: Context,
	): Promise<Page<ConversationRecord, Cursor>>;

	/** By id alone, or only when visible in the conversation (its own or inherited). */
	entry(id: EntryId, context: Context): Promise<StoredEntry | undefined>;
	entry(conversationId: ConversationId, id: EntryId, context: Context): Promise<StoredEntry | undefined>;
	/** The newest visible entry with a `head`, at or before the optional inclusive cutoff. */
	findLatestHeadMarker(
		conversationId: ConversationId,
		atOrBeforeEntryId: EntryId | undefined,
		context: Context,
	): Promise<HeadMarker | undefined>;
	/** Pages visible entries, inherited ones included, each parent only up to its fork point. */
	scanEntries(
		query: EntryQuery,
		limit: number,
		cursor: Cursor | undefined,
		context: Context,
	): Promise<Page<EntryRecord, Cursor>>;

	/**
	 * Pages entries whose text (`../search/text.ts`) holds every word, each also as a part of a longer word; newest
	 * first. When no word has three characters, each page is looked for in the newest 5,000 of the entries asked for.
	 * Rejects with the reason of the context when that is cancelled.
	 */
	searchEntries(
		query: EntrySearch,
		limit: number,
		cursor: Cursor | undefined,
		context: Context,
	): Promise<Page<EntryRecord, Cursor>>;

	task(id: TaskId, context: Context): Promise<AnyTaskRecord | undefined>;
	scanTasks(
		query: TaskQuery,
		limit: number,
		cursor: Cursor | undefined,
		context: Context,
	): Promise<Page<AnyTaskRecord, Cursor>>;

	submission(id: SubmissionId, context: Context): Promise<SubmissionRecord | undefined>;
	scanSubmissions(
		query: SubmissionQuery,
		limit: number,
		cursor: Cursor | undefined,
		context: Context,
	): Promise<Page<SubmissionRecord, Cursor>>;
	submissionByRequest(
		conversationId: ConversationId,
		requestId: string,
		context: Context,
	): Promise<SubmissionRecord | undefined>;

	findDocument(
		address: DocumentAddress,
		at: DocumentPoint,
		context: Context,
	): Promise<DocumentRecord | undefined>;
	document(id: DocumentId, at: DocumentPoint, context: Context): Promise<StoredDocument | undefined>;
	scanDocuments(
		query: DocumentQuery,
		limit: number,
		cursor: Cursor | undefined,
		context: Context,
	): Promise<Page<DocumentRecord, Cursor>>;

	close(context: Context): Promise<void>;
}

export type StoredEntry = { readonly entry: EntryRecord; readonly commitSeq: Seq };

export type HeadMarker = EntryRecord & { readonly head: EntryId };

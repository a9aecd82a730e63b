import type { Context, ReplicatedState } from "@earendil-works/chord";
import type { ConversationOwnership, ConversationRecord } from "./conversations.ts";
import type {
	ConversationDocFamilyToken,
	ConversationDocToken,
	DocumentReader,
	DocumentRecord,
	DocumentWriter,
	Op,
	SessionDocFamilyToken,
	SessionDocToken,
	TaskDocFamilyToken,
	TaskDocToken,
} from "./documents.ts";
import type { Entry, EntryDraft, EntryRecord, TypedEntry, TypedEntryDraft } from "./entries.ts";
import type { ConversationId, EntryId, Seq, SubmissionId, TaskId } from "./ids.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { ConversationQuery, Cursor, EntryQuery, HeadMarker, Page, TaskQuery } from "./storage.ts";
import type { SubmissionCreate, SubmissionRecord, SubmissionSettlement } from "./submissions.ts";
import type { AnyTaskRecord, Task, TaskOptions } from "./tasks.ts";

/**
 * One atomic write. Table reads come before the first table write (a later one throws `ReadAfterWrite`); documents
 * may be read and changed at any time. Everything rejects once the commit's callback has settled.
 */
export interface Tx extends DocumentWriter {
	conversation(id: ConversationId): Promise<ConversationRecord | undefined>;
	entry(id: EntryId): Promise<EntryRecord | undefined>;
	/** Undefined when the entry is absent or of another kind. */
	entry<D extends JsonValue>(token: Entry<D>, id: EntryId): Promise<TypedEntry<D> | undefined>;
	task(id: TaskId): Promise<AnyTaskRecord | undefined>;
	submission(id: SubmissionId): Promise<SubmissionRecord | undefined>;
	scanConversations(
		query: ConversationQuery,
		limit: number,
		cursor?: Cursor,
	): Promise<Page<ConversationRecord, Cursor>>;
	scanEntries(query: EntryQuery, limit: number, cursor?: Cursor): Promise<Page<EntryRecord, Cursor>>;
	scanTasks(query: TaskQuery, limit: number, cursor?: Cursor): Promise<Page<AnyTaskRecord, Cursor>>;
	submissionByRequest(
		conversationId: ConversationId,
		requestId: string,
	): Promise<SubmissionRecord | undefined>;
	/** The newest visible entry that carries a `head`. */
	latestHeadMarker(conversationId: ConversationId): Promise<HeadMarker | undefined>;

	createConversation(options: { readonly ownership: ConversationOwnership }): Promise<ConversationRecord>;
	forkConversation(
		parentConversationId: ConversationId,
		at: EntryId,
		options: { readonly ownership: ConversationOwnership },
	): Promise<ConversationRecord>;
	appendEntry(conversationId: ConversationId, value: EntryDraft): Promise<EntryRecord>;
	/** The token supplies the kind and types `data`. */
	appendEntry<D extends JsonValue>(
		token: Entry<D>,
		conversationId: ConversationId,
		value: TypedEntryDraft<D>,
	): Promise<TypedEntry<D>>;
	createTask<I, S extends { phase: string }, R, H extends object>(
		task: Task<I, S, R, H>,
		input: I,
		options: TaskOptions,
	): Promise<TaskId<R>>;
	/** A raw record, without the rules of admission; hosts use `Conversation.submit()`. */
	createSubmission(create: SubmissionCreate): Promise<SubmissionRecord>;
	/** Settles a queued or placed submission; a settled one stays as it is. */
	settleSubmission(id: SubmissionId, settlement: SubmissionSettlement): void;
	/** An input becomes `placed`, a write `done`. */
	placeSubmission(id: SubmissionId, entry: EntryId): void;
}

export type DocumentChange = {
	readonly record: DocumentRecord;
	/** The whole new value; null once retired. */
	readonly value: JsonObject | null;
	readonly ops: readonly Op[];
	readonly created: boolean;
};

/** One commit as it was stored. Immutable. */
export type CommitPublication = {
	readonly seq: Seq;
	readonly conversations: readonly ConversationRecord[];
	readonly entries: readonly EntryRecord[];
	readonly tasks: readonly AnyTaskRecord[];
	readonly submissions: readonly SubmissionRecord[];
	readonly documents: readonly DocumentChange[];
};

export type WatchEnd =
	| { readonly reason: "stopped" | "cancelled" | "session_closed" | "retired" }
	| { readonly reason: "listener_error"; readonly error: Error };

/** A value and every later change to it, one callback at a time. */
export interface WatchHandle<T> {
	/** The value at attachment; after `start()`, the newest delivered one. */
	readonly value: T;
	/** Installs the one listener. Its callbacks never overlap; commits don't wait for them. */
	start(listener: (value: T, ops: readonly Op[], context: Context) => Promise<void>): void;
	stop(): Promise<WatchEnd>;
	readonly closed: Promise<WatchEnd>;
}

/** A live value, already hydrated. */
export interface AttachedReplicatedState<T> extends ReplicatedState<T> {
	readonly value: T;
	dispose(): void;
}

export type DocumentState<T extends JsonObject> = AttachedReplicatedState<Readonly<T> | null>;
export type DocumentWatch<T extends JsonObject> = WatchHandle<Readonly<T> | null>;

export interface DocumentObserver {
	/** Every later change of one existing document; undefined when it doesn't exist. */
	watchDoc<T extends JsonObject>(
		token: SessionDocToken<T>,
		context: Context,
	): Promise<DocumentWatch<T> | undefined>;
	watchDoc<T extends JsonObject>(
		token: ConversationDocToken<T>,
		conversationId: ConversationId,
		context: Context,
	): Promise<DocumentWatch<T> | undefined>;
	watchDoc<T extends JsonObject>(
		token: TaskDocToken<T>,
		taskId: TaskId,
		context: Context,
	): Promise<DocumentWatch<T> | undefined>;
	watchDoc<T extends JsonObject, I extends JsonValue>(
		token: SessionDocFamilyToken<T, I>,
		key: string,
		context: Context,
	): Promise<DocumentWatch<T> | undefined>;
	watchDoc<T extends JsonObject, I extends JsonValue>(
		token: ConversationDocFamilyToken<T, I>,
		conversationId: ConversationId,
		key: string,
		context: Context,
	): Promise<DocumentWatch<T> | undefined>;
	watchDoc<T extends JsonObject, I extends JsonValue>(
		token: TaskDocFamilyToken<T, I>,
		taskId: TaskId,
		key: string,
		context: Context,
	): Promise<DocumentWatch<T> | undefined>;
}

/** One existing document as a live value: null once it is retired. Undefined when it doesn't exist. */
export interface DocumentStates {
	documentState<T extends JsonObject>(
		token: SessionDocToken<T>,
		context: Context,
	): Promise<DocumentState<T> | undefined>;
	documentState<T extends JsonObject>(
		token: ConversationDocToken<T>,
		conversationId: ConversationId,
		context: Context,
	): Promise<DocumentState<T> | undefined>;
	documentState<T extends JsonObject>(
		token: TaskDocToken<T>,
		taskId: TaskId,
		context: Context,
	): Promise<DocumentState<T> | undefined>;
	documentState<T extends JsonObject, I extends JsonValue>(
		token: SessionDocFamilyToken<T, I>,
		key: string,
		context: Context,
	): Promise<DocumentState<T> | undefined>;
	documentState<T extends JsonObject, I extends JsonValue>(
		token: ConversationDocFamilyToken<T, I>,
		conversationId: ConversationId,
		key: string,
		context: Context,
	): Promise<DocumentState<T> | undefined>;
	documentState<T extends JsonObject, I extends JsonValue>(
		token: TaskDocFamilyToken<T, I>,
		taskId: TaskId,
		key: string,
		context: Context,
	): Promise<DocumentState<T> | undefined>;
}

/** One open storage and its line of commits. */
export interface Session extends DocumentObserver, DocumentStates, DocumentReader {
	/** Runs `change` on the line and stores all it did, or nothing. */
	commit<T>(change: (tx: Tx) => T | Promise<T>, context: Context): Promise<T>;
	/** Resolves once everything committed so far would survive a power cut. */
	flush(context: Context): Promise<void>;
	/** Called on the line after each commit is stored; must not block or call the Session. A throw is reported. */
	subscribeCommits(listener: (publication: CommitPublication, context: Context) => void): () => void;
	/** Called once, when closing begins or the storage has failed. */
	subscribeClose(listener: () => void): () => void;
	close(context: Context): Promise<void>;
}

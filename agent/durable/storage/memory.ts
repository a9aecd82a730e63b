import type { Context } from "@earendil-works/chord";
import type { ConversationRecord } from "../types/conversations.ts";
import type { DocumentRecord } from "../types/documents.ts";
import type { EntryRecord } from "../types/entries.ts";
import {
	type ConversationId,
	type DocumentId,
	type EntryId,
	type Id,
	ROOT_CONVERSATION_ID,
	type Seq,
	type SubmissionId,
	type TaskId,
} from "../types/ids.ts";
import type {
	ConversationQuery,
	Cursor,
	DocumentAddress,
	DocumentPoint,
	DocumentQuery,
	EntryQuery,
	EntrySearch,
	HeadMarker,
	Page,
	Storage,
	StorageWrite,
	StoredDocument,
	StoredEntry,
	SubmissionQuery,
	TaskQuery,
} from "../types/storage.ts";
import type { SubmissionRecord } from "../types/submissions.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";
import { idNotMinted, idTaken, requestTaken, toBatch } from "./batch.ts";
import { createDocuments } from "./memory/documents.ts";
import { createEntries } from "./memory/entries.ts";
import { createTable } from "./memory/table.ts";
import { scanPosition } from "./scan.ts";

/** A storage that forgets everything when it goes: for tests, and the reference of what a storage does. */
export class MemoryStorage implements Storage {
	readonly #conversations = createTable<ConversationRecord>();
	readonly #entries = createEntries((id) => this.#conversations.peek(id)?.parent);
	readonly #tasks = createTable<AnyTaskRecord>();
	readonly #submissions = createTable<SubmissionRecord>();
	readonly #documents = createDocuments();
	readonly #byRequest = new Map<string, SubmissionId>();
	#nextNumber = ROOT_CONVERSATION_ID + 1;
	#closed = false;

	async commit(writes: readonly StorageWrite[], _context: Context): Promise<Seq> {
		this.#checkOpen();
		const batch = toBatch(writes);
		const seq = this.#nextNumber++ as Seq;
		const claim = (id: number) => this.#claim(id);
		const steps: (() => void)[] = [];
		for (const record of batch.conversations) {
			claim(record.id);
			steps.push(this.#conversations.prepare(record));
		}
		for (const record of batch.entries) {
			claim(record.id);
			steps.push(this.#entries.prepare(record, seq));
		}
		for (const record of batch.tasks.values()) {
			if (this.#tasks.peek(record.id) === undefined) claim(record.id);
			steps.push(this.#tasks.prepare(record));
		}
		const requests = new Map<string, SubmissionId>();
		for (const record of batch.submissions.values()) {
			const known = this.#submissions.peek(record.id);
			if (known === undefined) claim(record.id);
			const before = known && requestText(known);
			const request = requestText(record);
			if (request !== undefined) {
				const holder = requests.get(request) ?? this.#byRequest.get(request);
				if (holder !== undefined && holder !== record.id) throw requestTaken(record.requestId!);
				requests.set(request, record.id);
			}
			steps.push(this.#submissions.prepare(record), () => {
				if (before !== undefined) this.#byRequest.delete(before);
				if (request !== undefined) this.#byRequest.set(request, record.id);
			});
		}
		steps.push(...this.#documents.prepare(batch.documents, seq, claim));
		// Everything that can be refused has been checked by now: from here on the batch is stored whole.
		for (const step of steps) step();
		return seq;
	}

	/** Nothing is persisted, so there is nothing to wait for. */
	async flush(_context: Context): Promise<void> {
		this.#checkOpen();
	}

	async mintId<I extends Id<string>>(): Promise<I> {
		this.#checkOpen();
		return this.#nextNumber++ as I;
	}

	async conversation(id: ConversationId, _context: Context): Promise<ConversationRecord | undefined> {
		this.#checkOpen();
		return this.#conversations.read(id);
	}

	async scanConversations(
		query: ConversationQuery,
		limit: number,
		cursor: Cursor | undefined,
		_context: Context,
	): Promise<Page<ConversationRecord, Cursor>> {
		this.#checkOpen();
		const matches = ({ owner }: ConversationRecord) =>
			isAsked(query.ownerConversationId, owner?.conversationId) && isAsked(query.ownerTaskId, owner?.taskId);
		return this.#conversations.scan(matches, scanPosition(query.order, "ascending", cursor), limit);
	}

	async entry(id: EntryId, context: Context): Promise<StoredEntry | undefined>;
	async entry(
		conversationId: ConversationId,
		id: EntryId,
		context: Context,
	): Promise<StoredEntry | undefined>;
	async entry(
		...args: [EntryId, Context] | [ConversationId, EntryId, Context]
	): Promise<StoredEntry | undefined> {
		this.#checkOpen();
		return args.length === 2 ? this.#entries.read(args[0]) : this.#entries.read(args[1], args[0]);
	}

	async findLatestHeadMarker(
		conversationId: ConversationId,
		atOrBeforeEntryId: EntryId | undefined,
		_context: Context,
	): Promise<HeadMarker | undefined> {
		this.#checkOpen();
		return this.#entries.latestHeadMarker(conversationId, atOrBeforeEntryId);
	}

	async scanEntries(
		query: EntryQuery,
		limit: number,
		cursor: Cursor | undefined,
		_context: Context,
	): Promise<Page<EntryRecord, Cursor>> {
		this.#checkOpen();
		return this.#entries.scan(query, limit, cursor);
	}

	async searchEntries(
		query: EntrySearch,
		limit: number,
		cursor: Cursor | undefined,
		context: Context,
	): Promise<Page<EntryRecord, Cursor>> {
		this.#checkOpen();
		context.abortSignal?.throwIfAborted();
		return this.#entries.search(query, limit, cursor);
	}

	async task(id: TaskId, _context: Context): Promise<AnyTaskRecord | undefined> {
		this.#checkOpen();
		return this.#tasks.read(id);
	}

	async scanTasks(
		query: TaskQuery,
		limit: number,
		cursor: Cursor | undefined,
		_context: Context,
	): Promise<Page<AnyTaskRecord, Cursor>> {
		this.#checkOpen();
		const matches = (task: AnyTaskRecord) =>
			isAsked(query.conversationId, task.conversationId) &&
			isAsked(query.kind, task.kind) &&
			isAsked(query.status, task.state.status) &&
			isAsked(query.abortRequested, task.abortRequested) &&
			isAsked(query.background, task.background);
		return this.#tasks.scan(matches, scanPosition(query.order, "ascending", cursor), limit);
	}

	async submission(id: SubmissionId, _context: Context): Promise<SubmissionRecord | undefined> {
		this.#checkOpen();
		return this.#submissions.read(id);
	}

	async scanSubmissions(
		query: SubmissionQuery,
		limit: number,
		cursor: Cursor | undefined,
		_context: Context,
	): Promise<Page<SubmissionRecord, Cursor>> {
		this.#checkOpen();
		const matches = (submission: SubmissionRecord) =>
			isAsked(query.conversationId, submission.conversationId) &&
			isAsked(query.status, submission.status) &&
			isAsked(query.requestId, submission.requestId);
		return this.#submissions.scan(matches, scanPosition(query.order, "ascending", cursor), limit);
	}

	async submissionByRequest(
		conversationId: ConversationId,
		requestId: string,
		_context: Context,
	): Promise<SubmissionRecord | undefined> {
		this.#checkOpen();
		const id = this.#byRequest.get(requestText({ conversationId, requestId })!);
		return id === undefined ? undefined : this.#submissions.read(id);
	}

	async findDocument(
		address: DocumentAddress,
		at: DocumentPoint,
		_context: Context,
	): Promise<DocumentRecord | undefined> {
		this.#checkOpen();
		return this.#documents.find(address, at);
	}

	async document(id: DocumentId, at: DocumentPoint, _context: Context): Promise<StoredDocument | undefined> {
		this.#checkOpen();
		return this.#documents.read(id, at);
	}

	async scanDocuments(
		query: DocumentQuery,
		limit: number,
		cursor: Cursor | undefined,
		_context: Context,
	): Promise<Page<DocumentRecord, Cursor>> {
		this.#checkOpen();
		return this.#documents.scan(query, limit, cursor);
	}

	async close(_context: Context): Promise<void> {
		this.#closed = true;
	}

	#claim(id: number): void {
		if (id !== ROOT_CONVERSATION_ID && id >= this.#nextNumber) throw idNotMinted(id);
		const isTaken =
			this.#conversations.peek(id) !== undefined ||
			this.#entries.has(id) ||
			this.#tasks.peek(id) !== undefined ||
			this.#submissions.peek(id) !== undefined ||
			this.#documents.has(id);
		if (isTaken) throw idTaken(id);
	}

	#checkOpen(): void {
		if (this.#closed) throw new Error("The storage is closed; open it again.");
	}
}

function isAsked<T>(asked: T | undefined, stored: T | undefined): boolean {
	return asked === undefined || asked === stored;
}

function requestText({
	conversationId,
	requestId,
}: Pick<SubmissionRecord, "conversationId" | "requestId">): string | undefined {
	return requestId === undefined ? undefined : `${conversationId} ${requestId}`;
}

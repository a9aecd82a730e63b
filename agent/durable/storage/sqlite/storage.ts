import type { Context } from "@earendil-works/chord";
import { StorageDamaged, StorageRejected } from "../../errors.ts";
import type { ConversationRecord } from "../../types/conversations.ts";
import type { DocumentRecord } from "../../types/documents.ts";
import type { EntryRecord } from "../../types/entries.ts";
import type { ConversationId, DocumentId, EntryId, Id, Seq, SubmissionId, TaskId } from "../../types/ids.ts";
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
} from "../../types/storage.ts";
import type { SubmissionRecord } from "../../types/submissions.ts";
import type { AnyTaskRecord } from "../../types/tasks.ts";
import { toBatch } from "../batch.ts";
import { backUp } from "./backup.ts";
import { findDocument, readDocument, scanDocuments } from "./documents.ts";
import type { OpenDriver, SqliteDriver } from "./driver.ts";
import { createFlush, type Flush } from "./flush.ts";
import { createNumbers, type Numbers } from "./numbers.ts";
import {
	findLatestHeadMarker,
	readEntry,
	readRecord,
	scanConversations,
	scanEntries,
	scanSubmissions,
	scanTasks,
	submissionByRequest,
} from "./records.ts";
import { searchEntries } from "./search.ts";
import { damage, isDamage, text } from "./sqlite-errors.ts";
import { createSql, type Sql } from "./statements.ts";
import { createTransactions, type Transactions } from "./transaction.ts";
import { writeBatch } from "./writes.ts";

/** An open SQLite store. `openSqliteStorage` makes one. */
export class SqliteStorage implements Storage {
	readonly #driver: SqliteDriver;
	readonly #open: OpenDriver;
	readonly #sql: Sql;
	readonly #transactions: Transactions;
	readonly #numbers: Numbers;
	readonly #flush: Flush;
	readonly #onDamage: () => void;
	readonly #backups = new Set<Promise<unknown>>();
	/** Why it can't be used any more; it ends with the next step for whoever reads it. */
	#ended: string | undefined;

	/** `onDamage` hears of wrong bytes that were met, so that the next opening looks closer. */
	constructor(driver: SqliteDriver, open: OpenDriver, onDamage: () => void) {
		this.#onDamage = onDamage;
		this.#driver = driver;
		this.#open = open;
		this.#sql = createSql(driver);
		this.#transactions = createTransactions(driver, this.#sql);
		this.#numbers = createNumbers(this.#sql, this.#transactions);
		this.#flush = createFlush(this.#sql, this.#transactions, (work) => this.#write(work));
	}

	async commit(writes: readonly StorageWrite[], _context: Context): Promise<Seq> {
		return this.#write(() => {
			const seq = this.#numbers.take() as Seq;
			this.#transactions.run(() => writeBatch(this.#sql, this.#numbers, toBatch(writes), seq));
			this.#flush.markDirty();
			return seq;
		});
	}

	async flush(_context: Context): Promise<void> {
		this.#checkUsable();
		await this.#flush.request();
	}

	async mintId<I extends Id<string>>(): Promise<I> {
		return this.#write(() => this.#numbers.take() as I);
	}

	async conversation(id: ConversationId, _context: Context): Promise<ConversationRecord | undefined> {
		return this.#read(() => readRecord(this.#sql, "conversations", id));
	}

	async scanConversations(
		query: ConversationQuery,
		limit: number,
		cursor: Cursor | undefined,
		_context: Context,
	): Promise<Page<ConversationRecord, Cursor>> {
		return this.#read(() => scanConversations(this.#sql, query, limit, cursor));
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
		return this.#read(() =>
			args.length === 2 ? readEntry(this.#sql, args[0]) : readEntry(this.#sql, args[1], args[0]),
		);
	}

	async findLatestHeadMarker(
		conversationId: ConversationId,
		atOrBeforeEntryId: EntryId | undefined,
		_context: Context,
	): Promise<HeadMarker | undefined> {
		return this.#read(() => findLatestHeadMarker(this.#sql, conversationId, atOrBeforeEntryId));
	}

	async scanEntries(
		query: EntryQuery,
		limit: number,
		cursor: Cursor | undefined,
		_context: Context,
	): Promise<Page<EntryRecord, Cursor>> {
		return this.#read(() => scanEntries(this.#sql, query, limit, cursor));
	}

	async searchEntries(
		query: EntrySearch,
		limit: number,
		cursor: Cursor | undefined,
		context: Context,
	): Promise<Page<EntryRecord, Cursor>> {
		return searchEntries((work) => this.#read(() => work(this.#sql)), query, limit, cursor, context);
	}

	async task(id: TaskId, _context: Context): Promise<AnyTaskRecord | undefined> {
		return this.#read(() => readRecord(this.#sql, "tasks", id));
	}

	async scanTasks(
		query: TaskQuery,
		limit: number,
		cursor: Cursor | undefined,
		_context: Context,
	): Promise<Page<AnyTaskRecord, Cursor>> {
		return this.#read(() => scanTasks(this.#sql, query, limit, cursor));
	}

	async submission(id: SubmissionId, _context: Context): Promise<SubmissionRecord | undefined> {
		return this.#read(() => readRecord(this.#sql, "submissions", id));
	}

	async scanSubmissions(
		query: SubmissionQuery,
		limit: number,
		cursor: Cursor | undefined,
		_context: Context,
	): Promise<Page<SubmissionRecord, Cursor>> {
		return this.#read(() => scanSubmissions(this.#sql, query, limit, cursor));
	}

	async submissionByRequest(
		conversationId: ConversationId,
		requestId: string,
		_context: Context,
	): Promise<SubmissionRecord | undefined> {
		return this.#read(() => submissionByRequest(this.#sql, conversationId, requestId));
	}

	async findDocument(
		address: DocumentAddress,
		at: DocumentPoint,
		_context: Context,
	): Promise<DocumentRecord | undefined> {
		return this.#read(() => findDocument(this.#sql, address, at));
	}

	async document(id: DocumentId, at: DocumentPoint, _context: Context): Promise<StoredDocument | undefined> {
		return this.#read(() => readDocument(this.#sql, id, at));
	}

	async scanDocuments(
		query: DocumentQuery,
		limit: number,
		cursor: Cursor | undefined,
		_context: Context,
	): Promise<Page<DocumentRecord, Cursor>> {
		return this.#read(() => scanDocuments(this.#sql, query, limit, cursor));
	}

	/**
	 * Copies the open store into a folder, checks the copy, and removes periodic copies beyond the newest `keep`.
	 * Returns the copy's path. Throws `StorageDamaged`, removing nothing, when the copy can't be read.
	 */
	async backupTo(backupsDir: string, keep: number): Promise<string> {
		this.#checkUsable();
		const backup = backUp(this.#driver, this.#open, backupsDir, keep);
		this.#backups.add(backup);
		try {
			return await backup;
		} catch (error) {
			if (error instanceof StorageDamaged) this.#onDamage();
			throw error;
		} finally {
			this.#backups.delete(backup);
		}
	}

	/** Flushes what was asked for, waits for backups under way, and lets the file go. A second call does nothing. */
	async close(_context: Context): Promise<void> {
		if (this.#ended === undefined) this.#flush.settle();
		if (this.#ended === undefined) {
			this.#ended = "The storage is closed; open it again.";
			this.#giveBackNumbers();
		}
		await Promise.allSettled(this.#backups);
		this.#driver.close();
	}

	#giveBackNumbers(): void {
		try {
			this.#numbers.giveBack();
		} catch {
			// The reserved numbers stay unused, which is only a gap; letting the file go matters more.
		}
	}

	#checkUsable(): void {
		if (this.#ended !== undefined) throw new Error(this.#ended);
	}

	/** Whatever is not a plain refusal leaves open what was stored: then nothing more may be built on this store. */
	#write<T>(work: () => T): T {
		this.#checkUsable();
		try {
			return work();
		} catch (error) {
			this.#noteFailure(error);
			throw error;
		}
	}

	#noteFailure(error: unknown): void {
		if (error instanceof StorageRejected) return;
		if (error instanceof StorageDamaged) this.#onDamage();
		this.#ended ??= `The store failed earlier (${text(error)}); close it and open it again.`;
	}

	#read<T>(work: () => T): T {
		this.#checkUsable();
		try {
			return work();
		} catch (error) {
			if (!isDamage(error)) throw error;
			const damaged = damage(error);
			this.#noteFailure(damaged);
			throw damaged;
		}
	}
}

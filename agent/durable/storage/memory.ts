import type { Context } from "@earendil-works/chord";
import { type Id, ROOT_CONVERSATION_ID, type Seq } from "../types/ids.ts";
import type { Storage, StorageWrite } from "../types/storage.ts";
import { toBatch } from "./batch.ts";
import { createReads } from "./tables/reads.ts";
import { createTables } from "./tables/tables.ts";
import { memoryTexts } from "./tables/texts.ts";

/** A storage that forgets everything when it goes: for tests, and the reference of what a storage does. */
export class MemoryStorage implements Storage {
	readonly #tables = createTables(memoryTexts);
	readonly #reads = createReads(this.#tables, (read) => {
		this.#checkOpen();
		return read();
	});
	#nextNumber = ROOT_CONVERSATION_ID + 1;
	#closed = false;

	readonly conversation = this.#reads.conversation;
	readonly scanConversations = this.#reads.scanConversations;
	readonly entry = this.#reads.entry;
	readonly findLatestHeadMarker = this.#reads.findLatestHeadMarker;
	readonly scanEntries = this.#reads.scanEntries;
	readonly searchEntries = this.#reads.searchEntries;
	readonly task = this.#reads.task;
	readonly scanTasks = this.#reads.scanTasks;
	readonly submission = this.#reads.submission;
	readonly scanSubmissions = this.#reads.scanSubmissions;
	readonly submissionByRequest = this.#reads.submissionByRequest;
	readonly findDocument = this.#reads.findDocument;
	readonly document = this.#reads.document;
	readonly scanDocuments = this.#reads.scanDocuments;

	async commit(writes: readonly StorageWrite[], _context: Context): Promise<Seq> {
		this.#checkOpen();
		const batch = toBatch(writes);
		const seq = this.#nextNumber++ as Seq;
		const steps = this.#tables.prepare(batch, seq, (id) => id < this.#nextNumber);
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

	async close(_context: Context): Promise<void> {
		this.#closed = true;
	}

	#checkOpen(): void {
		if (this.#closed) throw new Error("The storage is closed; open it again.");
	}
}

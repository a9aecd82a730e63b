import type { Context } from "@earendil-works/chord";
import { awaitWithContext, BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { Clock } from "../clock.ts";
import { crashPoint } from "../crash-points.ts";
import { SessionClosed, SessionPoisoned, StorageDamaged, StorageRejected } from "../errors.ts";
import type { Seq } from "../types/ids.ts";
import type { JsonObject } from "../types/json.ts";
import type { CommitPublication, Session } from "../types/session.ts";
import type { DocumentAddress, Storage } from "../types/storage.ts";
import type { AnyDocToken } from "./document-address.ts";
import { createDocumentReads } from "./document-reads.ts";
import { createDocumentTable } from "./document-table.ts";
import { createLine } from "./line.ts";
import { hasRecords } from "./staged-records.ts";
import {
	beginTransaction,
	type InternalTx,
	type SealedTransaction,
	type TransactionHooks,
	type TxBinding,
} from "./transaction.ts";

/** The Session as the rest of the harness uses it. */
export interface SessionCore extends Session {
	readonly storage: Storage;
	/** One commit with the harness's own rights, on behalf of a conversation or a task. */
	commitInternal<T>(
		change: (tx: InternalTx) => T | Promise<T>,
		context: Context,
		binding?: TxBinding,
	): Promise<T>;
	/** Runs between two commits, on the line: what it reads belongs together. */
	onLine<T>(job: () => T | Promise<T>): Promise<T>;
	/** A committed document, for jobs that are on the line already. */
	loadOnLine(address: DocumentAddress, token: unknown, context: Context): Promise<JsonObject | undefined>;
	/** Throws the reason why no new operation may begin, when there is one. */
	assertOpen(): void;
	/** Refuses every new commit; those admitted settle. */
	seal(): void;
	readonly closing: boolean;
}

type State =
	| { readonly kind: "open" }
	| { readonly kind: "closing" }
	| { readonly kind: "poisoned"; readonly error: Error };

/**
 * Opens the line of commits over a storage. `hooks` run inside every commit, `report` hears of subscribers that throw.
 * The Session owns the storage: only `close()` may close it.
 */
export function openSession(
	storage: Storage,
	clock: Clock,
	hooks: TransactionHooks,
	report: (error: unknown) => void = () => {},
): SessionCore {
	const line = createLine();
	const table = createDocumentTable(storage);
	const commitListeners = new Set<(publication: CommitPublication, context: Context) => void>();
	const closeListeners = new Set<() => void>();
	let state: State = { kind: "open" };
	let closed: Promise<void> | undefined;

	function assertOpen(): void {
		if (state.kind === "closing") throw new SessionClosed();
		assertSound();
	}

	function assertSound(): void {
		if (state.kind === "poisoned") throw state.error;
	}

	function end(next: State): void {
		if (state.kind !== "open") return;
		state = next;
		for (const listener of [...closeListeners]) tell(listener);
		closeListeners.clear();
	}

	/** What is stored is stored, and nobody misses it because another one's listener broke. */
	function tell(listener: () => void): void {
		try {
			listener();
		} catch (error) {
			report(error);
		}
	}

	/** What was stored is unknown: publish nothing more, and let everyone know. */
	function poison(cause: unknown): Error {
		const reason = cause instanceof Error ? cause.message : String(cause);
		const error = new SessionPoisoned(
			`The store failed and it isn't known what was stored (${reason}). Close it and open it again.`,
			{ cause },
		);
		end({ kind: "poisoned", error });
		return error;
	}

	async function store(sealed: SealedTransaction, context: Context): Promise<Seq> {
		try {
			return await storage.commit(sealed.writes, context);
		} catch (error) {
			throw error instanceof StorageRejected ? error : poison(error);
		}
	}

	function adopt(sealed: SealedTransaction, seq: Seq): CommitPublication {
		const documents = [];
		for (const document of sealed.documents) {
			table.adopt(document.address, document.after(seq));
			const change = document.publication(seq);
			if (change !== undefined) documents.push(change);
		}
		for (const address of sealed.copies) table.forget(address);
		const { conversations, entries, tasks, submissions } = sealed.staged;
		return {
			seq,
			conversations: [...conversations.values()],
			entries,
			tasks: [...tasks.values()],
			submissions: [...submissions.values()],
			documents,
		};
	}

	async function runCommit<T>(
		change: (tx: InternalTx) => T | Promise<T>,
		context: Context,
		binding: TxBinding,
	): Promise<T> {
		const transaction = beginTransaction(storage, table, clock, hooks, binding, context);
		let result: T;
		let sealed: SealedTransaction;
		try {
			result = await change(transaction.tx);
			sealed = await transaction.seal();
		} catch (error) {
			await transaction.abort();
			throw error instanceof StorageDamaged ? poison(error) : error;
		}
		if (sealed.writes.length === 0 && !hasRecords(sealed.staged)) return result;
		crashPoint("commit:before");
		const seq = await store(sealed, context);
		crashPoint("commit:after");
		const publication = adopt(sealed, seq);
		for (const listener of [...commitListeners]) tell(() => listener(publication, context));
		return result;
	}

	async function commitInternal<T>(
		change: (tx: InternalTx) => T | Promise<T>,
		context: Context,
		binding: TxBinding = {},
	): Promise<T> {
		assertOpen();
		context.abortSignal?.throwIfAborted();
		// Commits admitted before a close still settle.
		return line(() => {
			assertSound();
			return runCommit(change, context, binding);
		});
	}

	async function flush(context: Context): Promise<void> {
		assertSound();
		if (closed !== undefined) throw new SessionClosed();
		try {
			await storage.flush(context);
		} catch (error) {
			throw error instanceof StorageRejected ? error : poison(error);
		}
	}

	const core = {
		storage,
		get closing() {
			return state.kind !== "open";
		},
		assertOpen,
		commitInternal,
		commit: <T>(change: (tx: InternalTx) => T | Promise<T>, context: Context) =>
			commitInternal(change, context),
		flush,
		async onLine<T>(job: () => T | Promise<T>): Promise<T> {
			assertSound();
			if (closed !== undefined) throw new SessionClosed();
			return line(job);
		},
		async loadOnLine(address: DocumentAddress, token: unknown, context: Context) {
			return (await table.load(address, (token as AnyDocToken).definition, context))?.value;
		},
		subscribeCommits(listener: (publication: CommitPublication, context: Context) => void) {
			commitListeners.add(listener);
			return () => commitListeners.delete(listener);
		},
		subscribeClose(listener: () => void) {
			closeListeners.add(listener);
			return () => closeListeners.delete(listener);
		},
		seal: () => end({ kind: "closing" }),
		async close(context: Context): Promise<void> {
			end({ kind: "closing" });
			closed ??= line.idle().then(() => storage.close(BACKGROUND_CONTEXT));
			await awaitWithContext(closed, context);
		},
	};
	return Object.assign(core, createDocumentReads(core, table, report));
}

import type { Context } from "@earendil-works/chord";
import type { Clock } from "../clock.ts";
import { crashPoint } from "../crash-points.ts";
import { SessionClosed, SessionPoisoned, StorageRejected } from "../errors.ts";
import type { DocumentReader } from "../types/documents.ts";
import type { Seq } from "../types/ids.ts";
import type { JsonObject } from "../types/json.ts";
import type { CommitPublication, DocumentObserver, Session } from "../types/session.ts";
import type { DocumentAddress, Storage } from "../types/storage.ts";
import { type AnyDocToken, contextOf, resolveAddress } from "./document-address.ts";
import { createDocumentTable } from "./document-table.ts";
import { createLine } from "./line.ts";
import { hasRecords } from "./staged-records.ts";
import {
	beginTransaction,
	type InternalTx,
	type SealedTransaction,
	type TransactionHooks,
} from "./transaction.ts";
import { createWatch, type WatchSource } from "./watch.ts";

/** The Session as the rest of the harness uses it. */
export interface SessionCore extends Session {
	readonly storage: Storage;
	/** One commit with the harness's own rights. */
	commitInternal<T>(change: (tx: InternalTx) => T | Promise<T>, context: Context): Promise<T>;
	/** Runs between two commits, on the line: what it reads belongs together. */
	onLine<T>(job: () => T | Promise<T>): Promise<T>;
	/** A committed document, for jobs that are on the line already. */
	loadOnLine(address: DocumentAddress, token: unknown, context: Context): Promise<JsonObject | undefined>;
	/** Refuses every new commit; those admitted settle. */
	seal(): void;
	readonly closing: boolean;
}

/**
 * Opens the line of commits over a storage. `hooks` run inside every commit. The Session owns the storage: only
 * `close()` may close it.
 */
export function openSession(storage: Storage, clock: Clock, hooks: TransactionHooks): SessionCore {
	const line = createLine();
	const table = createDocumentTable(storage);
	const commitListeners = new Set<(publication: CommitPublication, context: Context) => void>();
	const closeListeners = new Set<() => void>();
	let state: { kind: "open" } | { kind: "closing" } | { kind: "poisoned"; error: Error } = { kind: "open" };
	let closed: Promise<void> | undefined;

	function assertOpen(): void {
		if (state.kind === "poisoned") throw state.error;
		if (state.kind === "closing") throw new SessionClosed();
	}

	function end(next: typeof state): void {
		if (state.kind !== "open") return;
		state = next;
		for (const listener of [...closeListeners]) listener();
		closeListeners.clear();
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
			if (error instanceof StorageRejected) throw error;
			throw poison(error);
		}
	}

	function adopt(sealed: SealedTransaction, seq: Seq): CommitPublication {
		const documents = [];
		for (const document of sealed.documents) {
			const after = document.after(seq);
			if (after === null) table.retire(document.address);
			else table.adopt(document.address, after);
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

	function commitInternal<T>(change: (tx: InternalTx) => T | Promise<T>, context: Context): Promise<T> {
		assertOpen();
		context.abortSignal?.throwIfAborted();
		return line(async () => {
			if (state.kind === "poisoned") throw state.error;
			const transaction = beginTransaction(storage, table, clock, hooks, context);
			let result: T;
			let sealed: SealedTransaction;
			try {
				result = await change(transaction.tx);
				sealed = await transaction.seal();
			} catch (error) {
				transaction.abort();
				throw error;
			}
			if (sealed.writes.length === 0 && !hasRecords(sealed.staged)) return result;
			crashPoint("commit:before");
			const seq = await store(sealed, context);
			crashPoint("commit:after");
			const publication = adopt(sealed, seq);
			for (const listener of [...commitListeners]) listener(publication, context);
			return result;
		});
	}

	async function snapshot(token: unknown, ...args: unknown[]): Promise<JsonObject | undefined> {
		const { address, rest } = resolveAddress(token as AnyDocToken, args);
		const { definition } = token as AnyDocToken;
		assertReadable();
		const known = table.peek(address, definition);
		if (known !== undefined) return known?.value;
		return line(async () => (await table.load(address, definition, contextOf(rest)))?.value);
	}

	function assertReadable(): void {
		if (state.kind === "poisoned") throw state.error;
		if (closed !== undefined) throw new SessionClosed();
	}

	async function watchDoc(token: unknown, ...args: unknown[]) {
		const { address, rest } = resolveAddress(token as AnyDocToken, args);
		const context = contextOf(rest);
		assertOpen();
		return line(async () => {
			const loaded = await table.load(address, (token as AnyDocToken).definition, context);
			if (loaded === null) return undefined;
			const source: WatchSource<JsonObject | null> = createWatch<JsonObject | null>(
				loaded.value,
				context,
				() => {
					commitListeners.delete(onCommit);
					closeListeners.delete(onClose);
				},
			);
			const onCommit = (publication: CommitPublication, commitContext: Context) => {
				for (const change of publication.documents) {
					if (change.record.id !== loaded.record.id) continue;
					source.push(change.value, change.ops, commitContext);
					if (change.value === null) source.end({ reason: "retired" }, { drain: true });
				}
			};
			const onClose = () => source.end({ reason: "session_closed" });
			commitListeners.add(onCommit);
			closeListeners.add(onClose);
			return source.handle;
		});
	}

	return {
		storage,
		get closing() {
			return state.kind !== "open";
		},
		commitInternal,
		commit: (change, context) => commitInternal(change, context),
		async flush(context) {
			assertReadable();
			try {
				await storage.flush(context);
			} catch (error) {
				if (error instanceof StorageRejected) throw error;
				throw poison(error);
			}
		},
		onLine(job) {
			assertReadable();
			return line(job);
		},
		async loadOnLine(address, token, context) {
			return (await table.load(address, (token as AnyDocToken).definition, context))?.value;
		},
		snapshot: snapshot as DocumentReader["snapshot"],
		watchDoc: watchDoc as DocumentObserver["watchDoc"],
		subscribeCommits(listener) {
			commitListeners.add(listener);
			return () => commitListeners.delete(listener);
		},
		subscribeClose(listener) {
			closeListeners.add(listener);
			return () => closeListeners.delete(listener);
		},
		seal: () => end({ kind: "closing" }),
		close(context) {
			end({ kind: "closing" });
			closed ??= line.idle().then(() => storage.close(context));
			return closed;
		},
	};
}

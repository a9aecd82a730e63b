import type { Context } from "@earendil-works/chord";
import type { DocumentReader } from "../types/documents.ts";
import type { ConversationId, EntryId } from "../types/ids.ts";
import type { JsonObject } from "../types/json.ts";
import type { CommitPublication, DocumentObserver, DocumentStates } from "../types/session.ts";
import type { Storage } from "../types/storage.ts";
import { type AnyDocToken, assertSameSemantics, contextOf, resolveAddress } from "./document-address.ts";
import { type DocumentTable, type LoadedDocument, migrated } from "./document-table.ts";
import { createStateSource } from "./replicated-state.ts";
import { createWatch } from "./watch.ts";

/** What reading needs of the Session. */
type Source = {
	readonly storage: Storage;
	assertOpen(): void;
	onLine<T>(job: () => T | Promise<T>): Promise<T>;
	subscribeCommits(listener: (publication: CommitPublication, context: Context) => void): () => void;
	subscribeClose(listener: () => void): () => void;
};

type Value = JsonObject | null;
type Observer = {
	push(value: Value, ops: CommitPublication["documents"][number]["ops"], context: Context): void;
	retired(): void;
	closed(): void;
};

/** Committed documents, as they are and as they change. Nothing here creates one or writes. */
export function createDocumentReads(
	source: Source,
	table: DocumentTable,
	report: (error: unknown) => void,
): DocumentReader & DocumentObserver & DocumentStates {
	async function snapshot(token: AnyDocToken, ...args: unknown[]): Promise<JsonObject | undefined> {
		const { address, rest } = resolveAddress(token, args);
		const { definition } = token;
		source.assertOpen();
		const known = table.peek(address, definition);
		if (known !== undefined) return known?.value;
		return source.onLine(async () => (await table.load(address, definition, contextOf(rest)))?.value);
	}

	async function snapshotAsOf(token: AnyDocToken, ...args: unknown[]): Promise<JsonObject | undefined> {
		const { address, rest } = resolveAddress(token, args);
		const { definition } = token;
		if (definition.scope !== "conversation" || definition.history !== "rewindable")
			throw new TypeError(`Document ${definition.kind} isn't rewindable: only its newest value is kept.`);
		const [at, context] = rest as [EntryId, Context];
		const conversationId = (address.scope as { conversationId: ConversationId }).conversationId;
		source.assertOpen();
		return source.onLine(async () => {
			const { storage } = source;
			const visible = await storage.entry(conversationId, at, context);
			if (visible === undefined) throw new Error(`Entry ${at} isn't part of conversation ${conversationId}.`);
			const scope = { kind: "conversation", conversationId: visible.entry.conversationId } as const;
			const record = await storage.findDocument({ ...address, scope }, visible.commitSeq, context);
			if (record === undefined) return undefined;
			assertSameSemantics(definition, record);
			const stored = await storage.document(record.id, visible.commitSeq, context);
			return stored && migrated(definition, stored.value, stored.version);
		});
	}

	/** Reads a document and registers for its later changes, with no commit in between. */
	async function attach<T>(
		token: AnyDocToken,
		args: readonly unknown[],
		observe: (value: JsonObject, context: Context, detach: () => void) => { observer: Observer; result: T },
	): Promise<T | undefined> {
		const { address, rest } = resolveAddress(token, args);
		const context = contextOf(rest);
		source.assertOpen();
		return source.onLine(async () => {
			const loaded = await table.load(address, token.definition, context);
			if (loaded === null) return undefined;
			source.assertOpen();
			context.abortSignal?.throwIfAborted();
			const { observer, result } = observe(loaded.value, context, () => stop());
			const stop = follow(source, loaded, observer);
			return result;
		});
	}

	function watchDoc(token: AnyDocToken, ...args: unknown[]) {
		return attach(token, args, (value, context, detach) => {
			const watch = createWatch<Value>(value, context, detach);
			const observer: Observer = {
				push: watch.push,
				retired: () => watch.end({ reason: "retired" }, { drain: true }),
				closed: () => watch.end({ reason: "session_closed" }),
			};
			return { observer, result: watch.handle };
		});
	}

	function documentState(token: AnyDocToken, ...args: unknown[]) {
		return attach(token, args, (value, _context, detach) => {
			const state = createStateSource<Value>(value, detach, report);
			const observer: Observer = {
				push: (next, _ops, from) => state.publish(next, from),
				retired: detach,
				closed: state.end,
			};
			return { observer, result: state.state };
		});
	}

	return {
		snapshot: snapshot as DocumentReader["snapshot"],
		snapshotAsOf: snapshotAsOf as DocumentReader["snapshotAsOf"],
		watchDoc: watchDoc as DocumentObserver["watchDoc"],
		documentState: documentState as DocumentStates["documentState"],
	};
}

/** Hands an observer every change of one incarnation until it is retired or the Session ends. */
function follow(source: Source, { record }: LoadedDocument, observer: Observer): () => void {
	const stopCommits = source.subscribeCommits(({ documents }, context) => {
		for (const change of documents) {
			if (change.record.id !== record.id) continue;
			observer.push(change.value, change.ops, context);
			if (change.value === null) observer.retired();
		}
	});
	const stopClose = source.subscribeClose(observer.closed);
	return () => {
		stopCommits();
		stopClose();
	};
}

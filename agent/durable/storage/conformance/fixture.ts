import assert from "node:assert/strict";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { StorageRejected } from "../../errors.ts";
import type { ConversationRecord } from "../../types/conversations.ts";
import type { DocumentCreate, DocumentScope, Op } from "../../types/documents.ts";
import type { EntryRecord } from "../../types/entries.ts";
import type { ConversationId, DocumentId, Id, SubmissionId, TaskId } from "../../types/ids.ts";
import type { JsonObject } from "../../types/json.ts";
import type { Cursor, Page, Storage, StorageWrite } from "../../types/storage.ts";
import type { SubmissionRecord } from "../../types/submissions.ts";
import type { AnyTaskRecord } from "../../types/tasks.ts";

/** Opens a fresh, empty storage, hands it to `run`, and cleans up after it. */
export type UseStorage = (run: (storage: Storage) => Promise<void>) => Promise<void>;

/** The part of a test runner that a suite needs. `node:test`, Vitest and Jest fit. */
export type TestRunner = {
	readonly describe: (name: string, body: () => void) => unknown;
	readonly it: (name: string, body: () => Promise<void>) => unknown;
	/** Not used: what a suite expects, it asserts itself. */
	readonly expect?: unknown;
};

/** Registers one group of promises. */
export type Group = (it: (promise: string, body: (f: Fixture) => Promise<void>) => void) => void;

export const context = BACKGROUND_CONTEXT;

type Overrides = Readonly<Record<string, unknown>>;

/** Makes records for one storage, every id from that storage. */
export function createFixture(storage: Storage) {
	const mint = <I extends Id<string>>() => storage.mintId<I>();
	const commit = (...writes: StorageWrite[]) => storage.commit(writes, context);

	return {
		storage,
		mint,
		commit,

		async conversation(overrides: Overrides = {}): Promise<ConversationRecord> {
			return { id: await mint(), ...overrides } as ConversationRecord;
		},

		async entry(conversationId: ConversationId, overrides: Overrides = {}): Promise<EntryRecord> {
			const id = await mint();
			return { id, conversationId, kind: "note", data: { n: id }, at: 1_000, ...overrides } as EntryRecord;
		},

		async task(conversationId: ConversationId, overrides: Overrides = {}): Promise<AnyTaskRecord> {
			return {
				id: await mint<TaskId>(),
				conversationId,
				kind: "work",
				version: 1,
				input: { path: "a" },
				background: false,
				abortRequested: false,
				state: { status: "pending", checkpoint: { phase: "start" } },
				...overrides,
			} as AnyTaskRecord;
		},

		async submission(conversationId: ConversationId, overrides: Overrides = {}): Promise<SubmissionRecord> {
			const id = await mint<SubmissionId>();
			return { id, conversationId, type: "input", status: "queued", ...overrides } as SubmissionRecord;
		},

		async document(overrides: Overrides = {}): Promise<DocumentCreate> {
			const id = await mint<DocumentId>();
			return { id, kind: "state", scope: { kind: "session" }, ...overrides } as DocumentCreate;
		},

		/** A conversation's document; by default every past value stays readable. */
		async conversationDocument(
			conversationId: ConversationId,
			overrides: { kind?: string; key?: string; history?: string; fork?: string } = {},
		): Promise<DocumentCreate> {
			const scope: DocumentScope = { kind: "conversation", conversationId };
			const id = await mint<DocumentId>();
			return {
				id,
				kind: "state",
				scope,
				history: "rewindable",
				fork: "asOf",
				...overrides,
			} as DocumentCreate;
		},

		/** Stores a conversation with entries of the given heads and returns all of them. */
		async transcript(
			count: number,
			overrides: Overrides = {},
		): Promise<{ id: ConversationId; entries: EntryRecord[] }> {
			const conversation = await this.conversation(overrides);
			await commit(put(conversation));
			const entries = await this.append(conversation.id, count);
			return { id: conversation.id, entries };
		},

		async append(conversationId: ConversationId, count: number): Promise<EntryRecord[]> {
			const entries: EntryRecord[] = [];
			for (let i = 0; i < count; i++) {
				const entry = await this.entry(conversationId);
				await commit(append(entry));
				entries.push(entry);
			}
			return entries;
		},

		async assertRejected(...writes: StorageWrite[]): Promise<void> {
			await assert.rejects(commit(...writes), StorageRejected);
		},
	};
}

export type Fixture = ReturnType<typeof createFixture>;

export function put(value: ConversationRecord): StorageWrite {
	return { type: "conversation", value };
}

export function append(value: EntryRecord): StorageWrite {
	return { type: "entry", value };
}

export function task(value: AnyTaskRecord): StorageWrite {
	return { type: "task", value };
}

export function submission(value: SubmissionRecord): StorageWrite {
	return { type: "submission", value };
}

export function create(record: DocumentCreate, value: JsonObject, version = 1): StorageWrite {
	return { type: "document.create", record, content: { kind: "base", version, value } };
}

export function base(id: DocumentId, value: JsonObject, version = 1): StorageWrite {
	return { type: "document.change", id, content: { kind: "base", version, value } };
}

export function delta(id: DocumentId, ops: readonly Op[], version = 1): StorageWrite {
	return { type: "document.change", id, content: { kind: "delta", version, ops } };
}

export function retire(id: DocumentId): StorageWrite {
	return { type: "document.retire", id };
}

export function copy(record: DocumentCreate, id: DocumentId, at: number | "current"): StorageWrite {
	return { type: "document.copy", record, source: { id, at: at as "current" } };
}

/** Follows a scan to its end and returns every item, checking the size of each page. */
export async function readAll<T>(
	limit: number,
	scan: (cursor: Cursor | undefined) => Promise<Page<T, Cursor>>,
): Promise<T[]> {
	const items: T[] = [];
	let cursor: Cursor | undefined;
	do {
		const page = await scan(cursor);
		assert.ok(page.items.length <= limit, "a page holds at most `limit` items");
		if (page.next !== undefined) assert.equal(page.items.length, limit, "only the last page is short");
		items.push(...page.items);
		// A cursor is plain JSON: it survives a trip through a client.
		cursor = page.next && (JSON.parse(JSON.stringify(page.next)) as Cursor);
	} while (cursor !== undefined);
	return items;
}

export function ids(records: readonly { readonly id: number }[]): number[] {
	return records.map((record) => record.id);
}

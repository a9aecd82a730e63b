import type { Context } from "@earendil-works/chord";
import type { ConversationId, EntryId } from "../../types/ids.ts";
import type { Storage, StoredEntry } from "../../types/storage.ts";
import { scanPosition } from "../scan.ts";
import type { Tables } from "./tables.ts";

export type StorageReads = Omit<Storage, "commit" | "flush" | "mintId" | "close">;

/** The reading half of a storage over its tables. `guard` runs each read, and throws when the store can't be used. */
export function createReads<Ref>(tables: Tables<Ref>, guard: <T>(read: () => T) => T): StorageReads {
	const { conversations, entries, tasks, submissions, documents } = tables;

	async function entry(
		...args: [EntryId, Context] | [ConversationId, EntryId, Context]
	): Promise<StoredEntry | undefined> {
		return guard(() => (args.length === 2 ? entries.read(args[0]) : entries.read(args[1], args[0])));
	}

	return {
		conversation: async (id) => guard(() => conversations.read(id)),
		scanConversations: async (query, limit, cursor) =>
			guard(() =>
				conversations.scan(
					(key) =>
						isAsked(query.ownerConversationId, key.ownerConversationId) &&
						isAsked(query.ownerTaskId, key.ownerTaskId),
					scanPosition(query.order, "ascending", cursor),
					limit,
				),
			),
		entry,
		findLatestHeadMarker: async (conversationId, atOrBefore) =>
			guard(() => entries.latestHeadMarker(conversationId, atOrBefore)),
		scanEntries: async (query, limit, cursor) => guard(() => entries.scan(query, limit, cursor)),
		async searchEntries(query, limit, cursor, context) {
			const check = () => guard(() => context.abortSignal?.throwIfAborted());
			check();
			return entries.search(query, limit, cursor, async () => {
				await new Promise((resolve) => setImmediate(resolve));
				check();
			});
		},
		task: async (id) => guard(() => tasks.read(id)),
		scanTasks: async (query, limit, cursor) =>
			guard(() =>
				tasks.scan(
					(key) =>
						isAsked(query.conversationId, key.conversationId) &&
						isAsked(query.kind, key.kind) &&
						isAsked<string>(query.status, key.status) &&
						isAsked(query.abortRequested, key.abortRequested) &&
						isAsked(query.background, key.background),
					scanPosition(query.order, "ascending", cursor),
					limit,
				),
			),
		submission: async (id) => guard(() => submissions.read(id)),
		scanSubmissions: async (query, limit, cursor) =>
			guard(() =>
				submissions.scan(
					(key) =>
						isAsked(query.conversationId, key.conversationId) &&
						isAsked<string>(query.status, key.status) &&
						isAsked(query.requestId, key.requestId),
					scanPosition(query.order, "ascending", cursor),
					limit,
				),
			),
		submissionByRequest: async (conversationId, requestId) =>
			guard(() => {
				const id = tables.submissionOf(conversationId, requestId);
				return id === undefined ? undefined : submissions.read(id);
			}),
		findDocument: async (address, at) => guard(() => documents.find(address, at)),
		document: async (id, at) => guard(() => documents.read(id, at)),
		scanDocuments: async (query, limit, cursor) => guard(() => documents.scan(query, limit, cursor)),
	};
}

function isAsked<T>(asked: T | undefined, stored: T | undefined): boolean {
	return asked === undefined || asked === stored;
}

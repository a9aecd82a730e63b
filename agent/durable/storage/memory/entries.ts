import { holdsEvery, MAX_UNINDEXED, searchTerms, trigramsOf } from "../../search/query.ts";
import { fold, searchableText } from "../../search/text.ts";
import type { ConversationRecord } from "../../types/conversations.ts";
import type { EntryRecord } from "../../types/entries.ts";
import type { ConversationId, EntryId, Seq } from "../../types/ids.ts";
import type { Cursor, EntryQuery, EntrySearch, HeadMarker, Page, StoredEntry } from "../../types/storage.ts";
import { toJsonText } from "../json-text.ts";
import { isVisible, lineage, readVisible } from "../lineage.ts";
import { checkLimit, scanPosition, toPage } from "../scan.ts";
import { insertSorted, walkBetween } from "./table.ts";

type Row = { readonly text: string; readonly own: EntryRecord; readonly commitSeq: Seq };

/** The transcript records, each with the number of its commit. */
export function createEntries(parentOf: (id: ConversationId) => ConversationRecord["parent"]) {
	const rows = new Map<number, Row>();
	const byConversation = new Map<ConversationId, number[]>();

	function* between(
		conversationId: ConversationId,
		range: { readonly min: number; readonly max: number; readonly order: "ascending" | "descending" },
	): Generator<Row> {
		for (const id of walkBetween(byConversation.get(conversationId) ?? [], range)) yield rows.get(id)!;
	}

	function parse(row: Row): EntryRecord {
		return JSON.parse(row.text) as EntryRecord;
	}

	return {
		prepare(value: EntryRecord, commitSeq: Seq): () => void {
			const text = toJsonText(value);
			return () => {
				rows.set(value.id, { text, own: JSON.parse(text) as EntryRecord, commitSeq });
				const ids = byConversation.get(value.conversationId);
				if (ids === undefined) byConversation.set(value.conversationId, [value.id]);
				else insertSorted(ids, value.id);
			};
		},

		has(id: number): boolean {
			return rows.has(id);
		},

		read(id: EntryId, seenFrom?: ConversationId): StoredEntry | undefined {
			const row = rows.get(id);
			if (row === undefined) return undefined;
			if (seenFrom !== undefined && !isVisible(seenFrom, row.own, parentOf)) return undefined;
			return { entry: parse(row), commitSeq: row.commitSeq };
		},

		latestHeadMarker(
			conversationId: ConversationId,
			atOrBefore: EntryId | undefined,
		): HeadMarker | undefined {
			for (const segment of lineage(conversationId, parentOf)) {
				const max = Math.min(segment.cap, atOrBefore ?? Number.MAX_SAFE_INTEGER);
				for (const row of between(segment.conversationId, { min: 1, max, order: "descending" }))
					if (row.own.head !== undefined) return parse(row) as HeadMarker;
			}
			return undefined;
		},

		scan(query: EntryQuery, limit: number, cursor: Cursor | undefined): Page<EntryRecord, Cursor> {
			checkLimit(limit);
			const position = scanPosition(query.order, "descending", cursor);
			const bounds = { min: query.minEntryId ?? 1, max: query.maxEntryId ?? Number.MAX_SAFE_INTEGER };
			const read = readVisible(query.conversationId, bounds, position, limit + 1, parentOf, (id, range) =>
				between(id, range).take(range.limit).map(parse).toArray(),
			);
			return toPage(read, limit, position.order);
		},

		search(query: EntrySearch, limit: number, cursor: Cursor | undefined): Page<EntryRecord, Cursor> {
			checkLimit(limit);
			const { after } = scanPosition("descending", "descending", cursor);
			const terms = searchTerms(query.text);
			if (terms.length === 0) return { items: [] };
			const most = trigramsOf(terms).length === 0 ? MAX_UNINDEXED : Number.POSITIVE_INFINITY;
			const found = [...rows.values()]
				.filter(({ own }) => isAsked(own, query) && (after === undefined || own.id < after))
				.sort((left, right) => right.own.id - left.own.id)
				.filter(({ own }, place) => place < most && holdsEvery(fold(searchableText(own)), terms))
				.map(parse);
			return toPage(found, limit, "descending");
		},
	};
}

function isAsked({ conversationId, at }: EntryRecord, query: EntrySearch): boolean {
	const { conversationIds, since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = query;
	return (conversationIds?.includes(conversationId) ?? true) && at >= since && at <= until;
}

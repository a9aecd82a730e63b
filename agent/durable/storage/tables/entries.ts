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
import { type LiveText, parseText, type Texts } from "./texts.ts";

type Row<Ref> = {
	readonly id: EntryId;
	readonly ref: Ref;
	readonly conversationId: ConversationId;
	readonly isHead: boolean;
	readonly at: number;
	readonly commitSeq: Seq;
};

/** The transcript records, each with the number of its commit. */
export function createEntries<Ref>(
	texts: Texts<Ref>,
	parentOf: (id: ConversationId) => ConversationRecord["parent"],
) {
	const rows = new Map<number, Row<Ref>>();
	const byConversation = new Map<ConversationId, number[]>();

	function* between(
		conversationId: ConversationId,
		range: { readonly min: number; readonly max: number; readonly order: "ascending" | "descending" },
	): Generator<Row<Ref>> {
		for (const id of walkBetween(byConversation.get(conversationId) ?? [], range)) yield rows.get(id)!;
	}

	function parse({ ref }: Row<Ref>): EntryRecord {
		return parseText<EntryRecord>(texts.read(ref));
	}

	function put({ id, conversationId, head, at }: EntryRecord, ref: Ref, commitSeq: Seq): void {
		rows.set(id, { id, ref, conversationId, isHead: head !== undefined, at, commitSeq });
		const ids = byConversation.get(conversationId);
		if (ids === undefined) byConversation.set(conversationId, [id]);
		else insertSorted(ids, id);
	}

	return {
		prepare(value: EntryRecord, commitSeq: Seq): () => void {
			const ref = texts.stage(["entry", commitSeq], toJsonText(value));
			return () => put(value, ref, commitSeq);
		},

		/** Takes in what is stored already. */
		put,

		*live(): Generator<LiveText<Ref>> {
			for (const { ref, commitSeq } of rows.values()) yield { head: ["entry", commitSeq], ref };
		},

		has(id: number): boolean {
			return rows.has(id);
		},

		read(id: EntryId, seenFrom?: ConversationId): StoredEntry | undefined {
			const row = rows.get(id);
			if (row === undefined) return undefined;
			if (seenFrom !== undefined && !isVisible(seenFrom, row, parentOf)) return undefined;
			return { entry: parse(row), commitSeq: row.commitSeq };
		},

		latestHeadMarker(
			conversationId: ConversationId,
			atOrBefore: EntryId | undefined,
		): HeadMarker | undefined {
			for (const segment of lineage(conversationId, parentOf)) {
				const max = Math.min(segment.cap, atOrBefore ?? Number.MAX_SAFE_INTEGER);
				for (const row of between(segment.conversationId, { min: 1, max, order: "descending" }))
					if (row.isHead) return parse(row) as HeadMarker;
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

		/** Reads entry after entry, newest first. `pause` is awaited between slices, and may throw to end it. */
		async search(
			query: EntrySearch,
			limit: number,
			cursor: Cursor | undefined,
			pause: () => Promise<void>,
		): Promise<Page<EntryRecord, Cursor>> {
			checkLimit(limit);
			const { after = Number.POSITIVE_INFINITY } = scanPosition("descending", "descending", cursor);
			const terms = searchTerms(query.text);
			if (terms.length === 0) return { items: [] };
			const most = trigramsOf(terms).length === 0 ? MAX_UNINDEXED : Number.POSITIVE_INFINITY;
			const asked = [...rows.values()]
				.filter((row) => row.id < after && isAsked(row, query))
				.map(({ id }) => id)
				.sort((left, right) => right - left)
				.slice(0, most);
			const found: EntryRecord[] = [];
			for (const [place, id] of asked.entries()) {
				if (place % SLICE === SLICE - 1) await pause();
				// Looked up again: where its text lies may have changed in the meantime.
				const entry = parse(rows.get(id)!);
				if (holdsEvery(fold(searchableText(entry)), terms)) found.push(entry);
				if (found.length > limit) break;
			}
			return toPage(found, limit, "descending");
		},
	};
}

/** Entries that a search looks at before other work has its turn. */
const SLICE = 200;

function isAsked<Ref>({ conversationId, at }: Row<Ref>, query: EntrySearch): boolean {
	const { conversationIds, since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = query;
	return (conversationIds?.includes(conversationId) ?? true) && at >= since && at <= until;
}

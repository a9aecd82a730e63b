import { setImmediate as nextTurn } from "node:timers/promises";
import type { Context } from "@earendil-works/chord";
import { holdsEvery, MAX_UNINDEXED, searchTerms, trigramsOf } from "../../search/query.ts";
import { fold, searchableText } from "../../search/text.ts";
import type { EntryRecord } from "../../types/entries.ts";
import type { Cursor, EntrySearch, Page } from "../../types/storage.ts";
import { checkLimit, scanPosition, toPage } from "../scan.ts";
import type { SqlValue } from "./driver.ts";
import { parse, type RecordRow } from "./records.ts";
import type { Sql } from "./statements.ts";

/** Entries compared in one go, so that other work gets its turn in between. */
const STEP = 64;

/** The index gives the newest ids first by itself: the join must not begin at the other end. */
const INDEXED = `
SELECT entries.id, record FROM entry_text CROSS JOIN entries ON entries.id = entry_text.rowid
WHERE entry_text MATCH ? AND entry_text.rowid < ?`;
const UNINDEXED = "SELECT id, record FROM entries WHERE id < ?";

type Row = RecordRow & { readonly id: number };

/**
 * One page of the entries that hold every word, newest first. The index narrows by trigrams; the text decides.
 * `read` runs one step on the open store.
 */
export async function searchEntries(
	read: <T>(work: (sql: Sql) => T) => T,
	query: EntrySearch,
	limit: number,
	cursor: Cursor | undefined,
	context: Context,
): Promise<Page<EntryRecord, Cursor>> {
	checkLimit(limit);
	const { after = Number.MAX_SAFE_INTEGER } = scanPosition("descending", "descending", cursor);
	const terms = searchTerms(query.text);
	const trigrams = trigramsOf(terms);
	const filter = filterOf(query);
	const isIndexed = trigrams.length > 0;
	const statement = `${isIndexed ? INDEXED : UNINDEXED}${filter.where} ORDER BY ${isIndexed ? "entry_text.rowid" : "id"} DESC LIMIT ${STEP}`;
	const match = isIndexed ? [trigrams.map(quoted).join(" AND ")] : [];
	const found: EntryRecord[] = [];
	const most = terms.length === 0 ? 0 : isIndexed ? Number.POSITIVE_INFINITY : MAX_UNINDEXED;

	for (let before = after, looked = 0; looked < most && found.length <= limit; ) {
		context.abortSignal?.throwIfAborted();
		const rows = read((sql) => sql(statement).all<Row>(...match, before, ...filter.values));
		for (const row of rows.slice(0, most - looked)) {
			const entry = read(() => parse<EntryRecord>(row));
			if (holdsEvery(fold(searchableText(entry)), terms)) found.push(entry);
			if (found.length > limit) break;
		}
		looked += rows.length;
		if (rows.length < STEP) break;
		before = rows[rows.length - 1]!.id;
		await nextTurn();
	}
	return toPage(found, limit, "descending");
}

/**
 * The unary plus keeps the index of conversations from being used: it would have to sort what it finds.
 */
function filterOf({ conversationIds, since, until }: EntrySearch): { where: string; values: SqlValue[] } {
	const conditions: [string, SqlValue][] = [];
	if (since !== undefined) conditions.push(["at >= ?", since]);
	if (until !== undefined) conditions.push(["at <= ?", until]);
	if (conversationIds !== undefined)
		conditions.push([
			"+conversation_id IN (SELECT value FROM json_each(?))",
			JSON.stringify(conversationIds),
		]);
	return {
		where: conditions.map(([condition]) => ` AND ${condition}`).join(""),
		values: conditions.map(([, value]) => value),
	};
}

/** As a string of the index's query language, in which nothing but a quote has a meaning. */
function quoted(trigram: string): string {
	return `"${trigram.replaceAll('"', '""')}"`;
}

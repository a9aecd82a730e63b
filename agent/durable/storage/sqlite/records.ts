import type { ConversationRecord } from "../../types/conversations.ts";
import type { EntryRecord } from "../../types/entries.ts";
import type { ConversationId, EntryId, Seq } from "../../types/ids.ts";
import type {
	ConversationQuery,
	Cursor,
	EntryQuery,
	HeadMarker,
	Page,
	ScanOrder,
	StoredEntry,
	SubmissionQuery,
	TaskQuery,
} from "../../types/storage.ts";
import type { SubmissionRecord } from "../../types/submissions.ts";
import type { AnyTaskRecord } from "../../types/tasks.ts";
import { isVisible, lineage, readVisible } from "../lineage.ts";
import { checkLimit, scanPosition, toPage } from "../scan.ts";
import type { SqlValue } from "./driver.ts";
import { columnText } from "./schema.ts";
import type { Sql } from "./statements.ts";

export type RecordRow = { readonly record: string };
type Table = "conversations" | "entries" | "tasks" | "submissions";

/** Throws when the text isn't JSON. */
export function parse<T>(row: RecordRow): T {
	try {
		return JSON.parse(row.record) as T;
	} catch (error) {
		throw new Error("A stored record can't be read. A backup of the store may still have it.", {
			cause: error,
		});
	}
}

export function readRecord<T>(sql: Sql, table: Table, id: number): T | undefined {
	const row = sql(`SELECT record FROM ${table} WHERE id = ?`).get<RecordRow>(id);
	return row === undefined ? undefined : parse<T>(row);
}

/** Conditions that were asked for, as SQL with their values. */
type Filter = { readonly where: readonly string[]; readonly values: readonly SqlValue[] };

function scan<T extends { readonly id: number }>(
	sql: Sql,
	table: Table,
	filter: Filter,
	asked: ScanOrder | undefined,
	limit: number,
	cursor: Cursor | undefined,
): Page<T, Cursor> {
	checkLimit(limit);
	const { order, after } = scanPosition(asked, "ascending", cursor);
	const ascending = order === "ascending";
	const where = [...filter.where, ascending ? "id > ?" : "id < ?"].join(" AND ");
	const start = after ?? (ascending ? 0 : Number.MAX_SAFE_INTEGER);
	const rows = sql(
		`SELECT record FROM ${table} WHERE ${where} ORDER BY id ${ascending ? "" : "DESC"} LIMIT ?`,
	).all<RecordRow>(...filter.values, start, limit + 1);
	return toPage(
		rows.map((row) => parse<T>(row)),
		limit,
		order,
	);
}

function filter(conditions: readonly (readonly [string, SqlValue | undefined])[]): Filter {
	const asked = conditions.filter(([, value]) => value !== undefined);
	return { where: asked.map(([condition]) => condition), values: asked.map(([, value]) => value!) };
}

export function scanConversations(
	sql: Sql,
	query: ConversationQuery,
	limit: number,
	cursor: Cursor | undefined,
): Page<ConversationRecord, Cursor> {
	const asked = filter([
		["owner_conversation_id = ?", query.ownerConversationId],
		["owner_task_id = ?", query.ownerTaskId],
	]);
	return scan(sql, "conversations", asked, query.order, limit, cursor);
}

/**
 * A unary plus keeps a condition from choosing the index: without it SQLite, which has no statistics here, may walk
 * all tasks of a kind to find the few that are alive.
 */
export function scanTasks(
	sql: Sql,
	query: TaskQuery,
	limit: number,
	cursor: Cursor | undefined,
): Page<AnyTaskRecord, Cursor> {
	const isNarrow = query.conversationId !== undefined || (query.status ?? "terminal") !== "terminal";
	const asked = filter([
		["conversation_id = ?", query.conversationId],
		[query.kind !== undefined && !isNarrow ? "+status = ?" : "status = ?", query.status],
		[isNarrow ? "+kind = ?" : "kind = ?", query.kind === undefined ? undefined : columnText(query.kind)],
	]);
	const flags: string[] = [];
	if (query.abortRequested !== undefined) flags.push(`abort_requested = ${query.abortRequested ? 1 : 0}`);
	if (query.background !== undefined) flags.push(`background = ${query.background ? 1 : 0}`);
	return scan(sql, "tasks", { ...asked, where: [...asked.where, ...flags] }, query.order, limit, cursor);
}

export function scanSubmissions(
	sql: Sql,
	query: SubmissionQuery,
	limit: number,
	cursor: Cursor | undefined,
): Page<SubmissionRecord, Cursor> {
	const asked = filter([
		["conversation_id = ?", query.conversationId],
		["status = ?", query.status],
		["request_id = ?", query.requestId === undefined ? undefined : columnText(query.requestId)],
	]);
	return scan(sql, "submissions", asked, query.order, limit, cursor);
}

export function submissionByRequest(
	sql: Sql,
	conversationId: ConversationId,
	requestId: string,
): SubmissionRecord | undefined {
	const row = sql(
		"SELECT record FROM submissions WHERE request_id = ? AND conversation_id = ?",
	).get<RecordRow>(columnText(requestId), conversationId);
	return row === undefined ? undefined : parse(row);
}

/** The fork point of a conversation, for walking its lineage. */
function parentOf(sql: Sql, id: ConversationId): ConversationRecord["parent"] {
	return sql(
		"SELECT parent_id AS conversationId, parent_at AS at FROM conversations WHERE id = ? AND parent_id IS NOT NULL",
	).get<NonNullable<ConversationRecord["parent"]>>(id);
}

export function readEntry(sql: Sql, id: EntryId, seenFrom?: ConversationId): StoredEntry | undefined {
	const row = sql("SELECT record, commit_seq FROM entries WHERE id = ?").get<RecordRow & { commit_seq: Seq }>(
		id,
	);
	if (row === undefined) return undefined;
	const entry = parse<EntryRecord>(row);
	if (seenFrom !== undefined && !isVisible(seenFrom, entry, (parent) => parentOf(sql, parent)))
		return undefined;
	return { entry, commitSeq: row.commit_seq };
}

export function findLatestHeadMarker(
	sql: Sql,
	conversationId: ConversationId,
	atOrBefore: EntryId | undefined,
): HeadMarker | undefined {
	const newest = sql(
		"SELECT record FROM entries WHERE conversation_id = ? AND head IS NOT NULL AND id <= ? ORDER BY id DESC LIMIT 1",
	);
	for (const segment of lineage(conversationId, (id) => parentOf(sql, id))) {
		const cap = Math.min(segment.cap, atOrBefore ?? Number.MAX_SAFE_INTEGER);
		const row = newest.get<RecordRow>(segment.conversationId, cap);
		if (row !== undefined) return parse(row);
	}
	return undefined;
}

export function scanEntries(
	sql: Sql,
	query: EntryQuery,
	limit: number,
	cursor: Cursor | undefined,
): Page<EntryRecord, Cursor> {
	checkLimit(limit);
	const position = scanPosition(query.order, "descending", cursor);
	const select = sql(
		`SELECT record FROM entries WHERE conversation_id = ? AND id BETWEEN ? AND ? ORDER BY id ${
			position.order === "ascending" ? "" : "DESC"
		} LIMIT ?`,
	);
	const read = readVisible(
		query.conversationId,
		{ min: query.minEntryId ?? 1, max: query.maxEntryId ?? Number.MAX_SAFE_INTEGER },
		position,
		limit + 1,
		(id) => parentOf(sql, id),
		(id, range) =>
			select.all<RecordRow>(id, range.min, range.max, range.limit).map((row) => parse<EntryRecord>(row)),
	);
	return toPage(read, limit, position.order);
}

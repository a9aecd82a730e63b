import type { DocumentCreate, DocumentRecord, DocumentScope } from "../../types/documents.ts";
import type { DocumentId, Seq } from "../../types/ids.ts";
import type {
	Cursor,
	DocumentAddress,
	DocumentPoint,
	DocumentQuery,
	Page,
	StoredDocument,
} from "../../types/storage.ts";
import type { DocumentHead } from "../document-rules.ts";
import { isAliveAt, isRewindable, materialize, notRewindable } from "../materialize.ts";
import { checkLimit, scanPosition, toPage } from "../scan.ts";
import { columnText } from "./schema.ts";
import type { Sql } from "./statements.ts";

type Row = {
	readonly created_at: Seq;
	readonly retired_at: Seq | null;
	readonly record: string;
};

function toRecord(row: Row): DocumentRecord {
	const record = JSON.parse(row.record) as DocumentCreate;
	const lifetime = row.retired_at === null ? {} : { retiredAt: row.retired_at };
	return { ...record, createdAt: row.created_at, ...lifetime } as DocumentRecord;
}

const COLUMNS = "created_at, retired_at, record";
const ALIVE_AT = "created_at <= ? AND (retired_at IS NULL OR retired_at > ?)";

/** What a write has to know, read without parsing the record: changes are what a store does most. */
export function readHead(sql: Sql, id: DocumentId): DocumentHead | undefined {
	const row = sql("SELECT version, rewindable, retired_at FROM documents WHERE id = ?").get<{
		version: number;
		rewindable: number;
		retired_at: number | null;
	}>(id);
	if (row === undefined) return undefined;
	return { version: row.version, isRewindable: row.rewindable === 1, isRetired: row.retired_at !== null };
}

export function readDocumentRecord(sql: Sql, id: DocumentId): DocumentRecord | undefined {
	const row = sql(`SELECT ${COLUMNS} FROM documents WHERE id = ?`).get<Row>(id);
	return row === undefined ? undefined : toRecord(row);
}

type ContentRow = { readonly version: number; readonly isBase: number; readonly content: string };

/** The value of an incarnation that is alive at that point. */
export function readValue(
	sql: Sql,
	record: DocumentRecord,
	at: DocumentPoint,
): Omit<StoredDocument, "record"> {
	const until = at === "current" ? Number.MAX_SAFE_INTEGER : at;
	const rows = readContents(sql, record.id, until);
	return materialize(
		record,
		rows.map((row) => ({ ...row, isBase: row.isBase === 1 })),
	);
}

/** The newest base and what follows it, oldest first. At rest the newest content is a base, which one look finds. */
function readContents(sql: Sql, id: DocumentId, until: number): readonly ContentRow[] {
	const newest = sql(`
		SELECT version, is_base AS isBase, content FROM document_contents
		WHERE document_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1`).get<ContentRow>(id, until);
	if (newest === undefined || newest.isBase === 1) return newest === undefined ? [] : [newest];
	return sql(`
		SELECT version, is_base AS isBase, content FROM document_contents
		WHERE document_id = ? AND seq <= ? AND seq >= (
			SELECT seq FROM document_contents WHERE document_id = ? AND seq <= ? AND is_base
			ORDER BY seq DESC LIMIT 1
		)
		ORDER BY seq`).all<ContentRow>(id, until, id, until);
}

export function readDocument(sql: Sql, id: DocumentId, at: DocumentPoint): StoredDocument | undefined {
	const record = readDocumentRecord(sql, id);
	if (record === undefined) return undefined;
	if (at !== "current" && !isRewindable(record)) throw notRewindable(id);
	if (!isAliveAt(record, at)) return undefined;
	return { record, ...readValue(sql, record, at) };
}

export function findDocument(
	sql: Sql,
	address: DocumentAddress,
	at: DocumentPoint,
): DocumentRecord | undefined {
	const place = [...scopeColumns(address.scope), columnText(address.kind), keyColumn(address.key)] as const;
	const where = "scope = ? AND scope_id = ? AND kind = ? AND key = ?";
	const row =
		at === "current"
			? sql(`SELECT ${COLUMNS} FROM documents WHERE ${where} AND retired_at IS NULL`).get<Row>(...place)
			: sql(
					`SELECT ${COLUMNS} FROM documents WHERE ${where} AND ${ALIVE_AT} ORDER BY created_at DESC LIMIT 1`,
				).get<Row>(...place, at, at);
	return row === undefined ? undefined : toRecord(row);
}

export function scanDocuments(
	sql: Sql,
	query: DocumentQuery,
	limit: number,
	cursor: Cursor | undefined,
): Page<DocumentRecord, Cursor> {
	checkLimit(limit);
	const { after = 0 } = scanPosition("ascending", "ascending", cursor);
	const kind = query.kind === undefined ? [] : [columnText(query.kind)];
	const point = query.at === "current" ? [] : [query.at, query.at];
	const rows = sql(`
		SELECT ${COLUMNS} FROM documents
		WHERE scope = ? AND scope_id = ? AND id > ?
			AND ${query.at === "current" ? "retired_at IS NULL" : ALIVE_AT}
			${query.kind === undefined ? "" : "AND +kind = ?"}
		ORDER BY id LIMIT ?`).all<Row>(...scopeColumns(query.scope), after, ...point, ...kind, limit + 1);
	return toPage(rows.map(toRecord), limit, "ascending");
}

export function scopeColumns(scope: DocumentScope): readonly [string, number] {
	if (scope.kind === "conversation") return ["conversation", scope.conversationId];
	if (scope.kind === "task") return ["task", scope.taskId];
	return ["session", 0];
}

/** Tells a singleton from a family's member with an empty key. */
export function keyColumn(key: string | undefined): string {
	return key === undefined ? "" : `:${columnText(key)}`;
}

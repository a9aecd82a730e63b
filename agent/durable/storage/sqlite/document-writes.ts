import { StorageRejected } from "../../errors.ts";
import type { DocumentCreate } from "../../types/documents.ts";
import type { DocumentId, Seq } from "../../types/ids.ts";
import type { DocumentContent } from "../../types/storage.ts";
import type { DocumentCommand } from "../batch.ts";
import { addressTaken, checkChange, checkCopy, documentAbsent } from "../document-rules.ts";
import { toJsonText } from "../json-text.ts";
import { isRewindable } from "../materialize.ts";
import { keyColumn, readDocumentRecord, readHead, readValue, scopeColumns } from "./documents.ts";
import { columnText } from "./schema.ts";
import { isUniqueViolation } from "./sqlite-errors.ts";
import type { Sql } from "./statements.ts";

/** Does one command of a batch. Throws `StorageRejected` for what contradicts the store. */
export function writeDocument(
	sql: Sql,
	command: DocumentCommand,
	seq: Seq,
	claim: (id: number) => void,
): void {
	if (command.type === "retire") change(sql, command.id, undefined, true, seq);
	else if (command.type === "change") change(sql, command.id, command.content, command.retire, seq);
	else {
		claim(command.record.id);
		const content = command.type === "create" ? command.content : copied(sql, command);
		create(sql, command.record, content, command.retire, seq);
	}
}

function change(
	sql: Sql,
	id: DocumentId,
	content: DocumentContent | undefined,
	retire: boolean,
	seq: Seq,
): void {
	const head = readHead(sql, id);
	if (head === undefined) throw documentAbsent(id);
	checkChange(id, head, content);
	if (content !== undefined) {
		insertContent(sql, id, content, seq);
		if (content.version !== head.version)
			sql("UPDATE documents SET version = ? WHERE id = ?").run(content.version, id);
		if (content.kind === "base" && !head.isRewindable) dropContents(sql, id, seq);
	}
	if (!retire) return;
	sql("UPDATE documents SET retired_at = ? WHERE id = ?").run(seq, id);
	if (!head.isRewindable) dropContents(sql, id, Number.MAX_SAFE_INTEGER);
}

type NewContent = Extract<DocumentContent, { kind: "base" }>;

function create(sql: Sql, record: DocumentCreate, content: NewContent, retire: boolean, seq: Seq): void {
	const keepsHistory = isRewindable(record);
	try {
		sql("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").run(
			record.id,
			...scopeColumns(record.scope),
			columnText(record.kind),
			keyColumn(record.key),
			keepsHistory ? 1 : 0,
			content.version,
			seq,
			retire ? seq : null,
			toJsonText(record),
		);
	} catch (error) {
		throw isUniqueViolation(error) ? addressTaken(record) : error;
	}
	if (!retire || keepsHistory) insertContent(sql, record.id, content, seq);
}

function insertContent(sql: Sql, id: DocumentId, content: DocumentContent, seq: Seq): void {
	const isBase = content.kind === "base";
	sql("INSERT INTO document_contents VALUES (?, ?, ?, ?, ?)").run(
		id,
		seq,
		content.version,
		isBase ? 1 : 0,
		toJsonText(isBase ? content.value : content.ops),
	);
}

function dropContents(sql: Sql, id: DocumentId, before: number): void {
	sql("DELETE FROM document_contents WHERE document_id = ? AND seq < ?").run(id, before);
}

/** The source's value as committed before this batch, which `toBatch` has checked not to touch it. */
function copied(sql: Sql, command: Extract<DocumentCommand, { type: "copy" }>): NewContent {
	const { id, at } = command.source;
	const source = readDocumentRecord(sql, id);
	checkCopy(command.record, source, at);
	try {
		const { value, version } = readValue(sql, source, at);
		return { kind: "base", value, version };
	} catch (error) {
		throw new StorageRejected(`Document ${id} can't be copied; nothing was stored.`, { cause: error });
	}
}

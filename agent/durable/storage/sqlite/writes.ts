import { fold, searchableText } from "../../search/text.ts";
import type { ConversationRecord } from "../../types/conversations.ts";
import type { EntryRecord } from "../../types/entries.ts";
import { ROOT_CONVERSATION_ID, type Seq } from "../../types/ids.ts";
import type { SubmissionRecord } from "../../types/submissions.ts";
import type { AnyTaskRecord } from "../../types/tasks.ts";
import { type Batch, idNotMinted, idTaken, requestTaken } from "../batch.ts";
import { toJsonText } from "../json-text.ts";
import { writeDocument } from "./document-writes.ts";
import type { Numbers } from "./numbers.ts";
import { columnText } from "./schema.ts";
import { isUniqueViolation } from "./sqlite-errors.ts";
import type { Sql } from "./statements.ts";

/** Stores a batch inside the open transaction. Throws `StorageRejected` for what contradicts the store. */
export function writeBatch(sql: Sql, numbers: Numbers, batch: Batch, seq: Seq): void {
	const claim = (id: number) => checkNew(sql, numbers, id);
	for (const record of batch.conversations) {
		claim(record.id);
		insertConversation(sql, record);
	}
	for (const record of batch.entries) {
		claim(record.id);
		insertEntry(sql, record, seq);
	}
	for (const record of batch.tasks.values()) writeTask(sql, record, claim);
	for (const record of batch.submissions.values()) writeSubmission(sql, record, claim);
	for (const command of batch.documents) writeDocument(sql, command, seq, claim);
}

const FIND_OWNER = `
SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM entries WHERE id = ?)
	OR EXISTS (SELECT 1 FROM conversations WHERE id = ?)
	OR EXISTS (SELECT 1 FROM tasks WHERE id = ?)
	OR EXISTS (SELECT 1 FROM submissions WHERE id = ?)
	OR EXISTS (SELECT 1 FROM documents WHERE id = ?)`;

function checkNew(sql: Sql, numbers: Numbers, id: number): void {
	if (id !== ROOT_CONVERSATION_ID && !numbers.isTaken(id)) throw idNotMinted(id);
	if (sql(FIND_OWNER).get(id, id, id, id, id) !== undefined) throw idTaken(id);
}

function insertConversation(sql: Sql, record: ConversationRecord): void {
	const { id, parent, owner } = record;
	sql("INSERT INTO conversations VALUES (?, ?, ?, ?, ?, ?)").run(
		id,
		parent?.conversationId ?? null,
		parent?.at ?? null,
		owner?.conversationId ?? null,
		owner?.taskId ?? null,
		toJsonText(record),
	);
}

function insertEntry(sql: Sql, record: EntryRecord, seq: Seq): void {
	const { id, conversationId, head, at } = record;
	sql("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)").run(
		id,
		conversationId,
		seq,
		head ?? null,
		at,
		toJsonText(record),
	);
	const folded = fold(searchableText(record));
	if (folded !== "") sql("INSERT INTO entry_text (rowid, text) VALUES (?, ?)").run(id, folded);
}

function writeTask(sql: Sql, record: AnyTaskRecord, claim: (id: number) => void): void {
	const { id, conversationId, kind, state, abortRequested, background } = record;
	const columns = [
		conversationId,
		columnText(kind),
		state.status,
		abortRequested ? 1 : 0,
		background ? 1 : 0,
		toJsonText(record),
		id,
	];
	const replaced = sql(
		"UPDATE tasks SET conversation_id = ?, kind = ?, status = ?, abort_requested = ?, background = ?, record = ? WHERE id = ?",
	).run(...columns);
	if (replaced.changes > 0) return;
	claim(id);
	sql(
		"INSERT INTO tasks (conversation_id, kind, status, abort_requested, background, record, id) VALUES (?, ?, ?, ?, ?, ?, ?)",
	).run(...columns);
}

function writeSubmission(sql: Sql, record: SubmissionRecord, claim: (id: number) => void): void {
	const { id, conversationId, status, requestId } = record;
	const request = requestId === undefined ? null : columnText(requestId);
	const columns = [conversationId, status, request, toJsonText(record), id];
	try {
		const replaced = sql(
			"UPDATE submissions SET conversation_id = ?, status = ?, request_id = ?, record = ? WHERE id = ?",
		).run(...columns);
		if (replaced.changes > 0) return;
		claim(id);
		sql(
			"INSERT INTO submissions (conversation_id, status, request_id, record, id) VALUES (?, ?, ?, ?, ?)",
		).run(...columns);
	} catch (error) {
		throw isUniqueViolation(error) ? requestTaken(requestId ?? "") : error;
	}
}

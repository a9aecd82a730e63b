import { ENTRY_TEXT, MIGRATIONS, type Migration } from "./schema-migrations.ts";

/** "OUTL": marks the file as a store of this library. */
export const APPLICATION_ID = 0x4f55544c;

/** The schema this version of the library reads and writes, and how older stores come to it. */
export type Schema = {
	readonly version: number;
	/** Creates every table of this version in an empty file. */
	readonly create: string;
	/** The tables that a whole store has. */
	readonly tables: readonly string[];
	readonly migrations: readonly Migration[];
};

/**
 * Every record is stored whole, as JSON, in `record`; the columns beside it repeat what is searched by. Ids and the
 * numbers of commits come from one line, `next_number` in `meta`, so that no two rows of the store share a number.
 *
 * A document's content is a row per commit that changed it: the whole value (`is_base`) or Chord operations to apply
 * to the value before. `documents.version` is the definition version of the newest content. A singleton's `key` is
 * the empty text, a family member's starts with a colon.
 *
 * `entry_text` finds entries by three characters in a row of their folded text, which it doesn't keep: what it finds
 * is compared again. `detail=none` and `columnsize=0` leave out what only ranking and phrases need.
 */
const CREATE = `
CREATE TABLE meta (
	name TEXT PRIMARY KEY,
	value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('next_number', 2), ('flushes', 0);

CREATE TABLE conversations (
	id INTEGER PRIMARY KEY,
	parent_id INTEGER,
	parent_at INTEGER,
	owner_conversation_id INTEGER,
	owner_task_id INTEGER,
	record TEXT NOT NULL
) STRICT;
CREATE INDEX conversations_by_owner_conversation ON conversations (owner_conversation_id)
	WHERE owner_conversation_id IS NOT NULL;
CREATE INDEX conversations_by_owner_task ON conversations (owner_task_id) WHERE owner_task_id IS NOT NULL;

CREATE TABLE entries (
	id INTEGER PRIMARY KEY,
	conversation_id INTEGER NOT NULL,
	commit_seq INTEGER NOT NULL,
	head INTEGER,
	at REAL NOT NULL,
	record TEXT NOT NULL
) STRICT;
CREATE INDEX entries_by_conversation ON entries (conversation_id);
CREATE INDEX head_markers ON entries (conversation_id) WHERE head IS NOT NULL;
${ENTRY_TEXT}

CREATE TABLE tasks (
	id INTEGER PRIMARY KEY,
	conversation_id INTEGER NOT NULL,
	kind TEXT NOT NULL,
	status TEXT NOT NULL,
	abort_requested INTEGER NOT NULL,
	background INTEGER NOT NULL,
	record TEXT NOT NULL
) STRICT;
CREATE INDEX tasks_by_conversation ON tasks (conversation_id);
CREATE INDEX tasks_by_conversation_and_status ON tasks (conversation_id, status);
CREATE INDEX tasks_by_status ON tasks (status);
CREATE INDEX tasks_by_kind ON tasks (kind);
CREATE INDEX tasks_to_abort ON tasks (id) WHERE abort_requested = 1;
CREATE INDEX tasks_in_background ON tasks (id) WHERE background = 1;

CREATE TABLE submissions (
	id INTEGER PRIMARY KEY,
	conversation_id INTEGER NOT NULL,
	status TEXT NOT NULL,
	request_id TEXT,
	record TEXT NOT NULL
) STRICT;
CREATE INDEX submissions_by_conversation ON submissions (conversation_id);
CREATE INDEX submissions_by_conversation_and_status ON submissions (conversation_id, status);
CREATE INDEX submissions_by_status ON submissions (status);
CREATE UNIQUE INDEX submissions_by_request ON submissions (conversation_id, request_id)
	WHERE request_id IS NOT NULL;
CREATE INDEX submissions_by_request_anywhere ON submissions (request_id) WHERE request_id IS NOT NULL;

CREATE TABLE documents (
	id INTEGER PRIMARY KEY,
	scope TEXT NOT NULL,
	scope_id INTEGER NOT NULL,
	kind TEXT NOT NULL,
	key TEXT NOT NULL,
	rewindable INTEGER NOT NULL,
	version INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	retired_at INTEGER,
	record TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX living_documents_by_address ON documents (scope, scope_id, kind, key)
	WHERE retired_at IS NULL;
CREATE INDEX living_documents_by_scope ON documents (scope, scope_id) WHERE retired_at IS NULL;
CREATE INDEX documents_by_address ON documents (scope, scope_id, kind, key, created_at);
CREATE INDEX documents_by_scope ON documents (scope, scope_id);

CREATE TABLE document_contents (
	document_id INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	version INTEGER NOT NULL,
	is_base INTEGER NOT NULL,
	content TEXT NOT NULL,
	PRIMARY KEY (document_id, seq)
) STRICT, WITHOUT ROWID;
`;

export const SCHEMA: Schema = {
	version: 2,
	create: CREATE,
	tables: [
		"meta",
		"conversations",
		"entries",
		"entry_text_data",
		"tasks",
		"submissions",
		"documents",
		"document_contents",
	],
	migrations: MIGRATIONS,
};

/** Text for a column that is compared by its bytes: SQLite's UTF-8 has no lone surrogates, JSON can escape them. */
export function columnText(value: string): string {
	return value.isWellFormed() && !value.startsWith("\u0001") ? value : `\u0001${JSON.stringify(value)}`;
}

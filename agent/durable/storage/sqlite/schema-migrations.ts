import { fold, searchableText } from "../../search/text.ts";
import type { EntryRecord } from "../../types/entries.ts";
import type { SqliteDriver } from "./driver.ts";

/** One step from a schema version to the next. Runs inside the one transaction of the whole migration. */
export type Migration = { readonly from: number; readonly up: (driver: SqliteDriver) => void };

/** Finds entries by three characters in a row of their folded text; of version 2. */
export const ENTRY_TEXT = `
CREATE VIRTUAL TABLE entry_text USING fts5 (
	text, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1'
);`;

/** How every older store comes to this version. A step, once released, is never changed. */
export const MIGRATIONS: readonly Migration[] = [{ from: 1, up: fromVersion1 }];

/**
 * Stores of version 1 differ: what the builds before the first release had changed kept that number. So each part is
 * looked for.
 */
function fromVersion1(driver: SqliteDriver): void {
	if (!hasColumn(driver, "entries", "at")) addTimes(driver);
	driver.exec(`
		DROP INDEX submissions_by_request;
		CREATE UNIQUE INDEX submissions_by_request ON submissions (conversation_id, request_id)
			WHERE request_id IS NOT NULL;
		CREATE INDEX IF NOT EXISTS submissions_by_request_anywhere ON submissions (request_id)
			WHERE request_id IS NOT NULL;
	`);
	if (!hasTable(driver, "entry_text")) {
		driver.exec(ENTRY_TEXT);
		indexText(driver);
	}
}

function addTimes(driver: SqliteDriver): void {
	driver.exec(`
		ALTER TABLE entries RENAME TO entries_before;
		CREATE TABLE entries (
			id INTEGER PRIMARY KEY,
			conversation_id INTEGER NOT NULL,
			commit_seq INTEGER NOT NULL,
			head INTEGER,
			at REAL NOT NULL,
			record TEXT NOT NULL
		) STRICT;
		INSERT INTO entries
			SELECT id, conversation_id, commit_seq, head, json_extract(record, '$.at'), record FROM entries_before;
		DROP TABLE entries_before;
		CREATE INDEX entries_by_conversation ON entries (conversation_id);
		CREATE INDEX head_markers ON entries (conversation_id) WHERE head IS NOT NULL;
	`);
}

/** Entries that are in memory at one time while their text is indexed. */
const PAGE = 500;

function indexText(driver: SqliteDriver): void {
	const page = driver.prepare("SELECT id, record FROM entries WHERE id > ? ORDER BY id LIMIT ?");
	const insert = driver.prepare("INSERT INTO entry_text (rowid, text) VALUES (?, ?)");
	let last = 0;
	for (;;) {
		const rows = page.all<{ id: number; record: string }>(last, PAGE);
		for (const { id, record } of rows) {
			const text = fold(searchableText(JSON.parse(record) as EntryRecord));
			if (text !== "") insert.run(id, text);
		}
		if (rows.length < PAGE) return;
		last = rows[rows.length - 1]!.id;
	}
}

function hasColumn(driver: SqliteDriver, table: string, column: string): boolean {
	const found = driver.prepare("SELECT 1 AS found FROM pragma_table_info(?) WHERE name = ?");
	return found.get(table, column) !== undefined;
}

function hasTable(driver: SqliteDriver, table: string): boolean {
	const found = driver.prepare("SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = ?");
	return found.get(table) !== undefined;
}

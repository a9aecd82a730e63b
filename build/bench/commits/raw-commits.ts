import Database from "better-sqlite3";
import { AssistantEntry } from "../../../agent/durable/index.ts";
import { SCHEMA } from "../../../agent/durable/storage/sqlite/schema.ts";
import type { Commits } from "./harness-commits.ts";
import { messageOf, type Progress, ProgressDoc, progressOf, textOf } from "./work.ts";

/** Where the harness's own store has them; the numbers are of no account. */
const CONVERSATION = 1;
const DOCUMENT = 2;
const FIRST_NUMBER = 3;

/** The same rows as bare statements in one transaction: what no library around SQLite can be faster than. */
export function openRawCommits(file: string): Commits {
	const database = new Database(file);
	for (const pragma of [
		"locking_mode = EXCLUSIVE",
		"journal_mode = WAL",
		"synchronous = NORMAL",
		"cache_size = -4096",
	])
		database.pragma(pragma);
	database.exec(SCHEMA.create);
	const begin = database.prepare("BEGIN IMMEDIATE");
	const end = database.prepare("COMMIT");
	const entry = database.prepare("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)");
	const text = database.prepare("INSERT INTO entry_text (rowid, text) VALUES (?, ?)");
	const content = database.prepare("INSERT INTO document_contents VALUES (?, ?, ?, ?, ?)");
	const { version } = ProgressDoc.definition;
	content.run(DOCUMENT, FIRST_NUMBER, version, 1, JSON.stringify(ProgressDoc.definition.initial()));

	let next = FIRST_NUMBER + 1;
	let progress: Progress = ProgressDoc.definition.initial();
	return {
		commit(number) {
			const id = next++;
			const seq = next++;
			const at = Date.now();
			const message = messageOf(number);
			const record = { kind: AssistantEntry.kind, model: [message], id, conversationId: CONVERSATION, at };
			progress = progressOf(number);
			const operations = [
				["s", ["steps"], progress.steps],
				["s", ["last"], progress.last],
			];
			begin.run();
			entry.run(id, CONVERSATION, seq, null, at, JSON.stringify(record));
			text.run(id, textOf(message).toLowerCase());
			content.run(DOCUMENT, seq, version, 0, JSON.stringify(operations));
			end.run();
		},
		close: () => void database.close(),
	};
}

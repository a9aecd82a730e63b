import { StorageDamaged, StorageTooNew } from "../../errors.ts";
import type { ConversationRecord } from "../../types/conversations.ts";
import type { DocumentCreate } from "../../types/documents.ts";
import type { EntryRecord } from "../../types/entries.ts";
import { type DocumentId, ROOT_CONVERSATION_ID, type Seq } from "../../types/ids.ts";
import type { SubmissionRecord } from "../../types/submissions.ts";
import type { AnyTaskRecord } from "../../types/tasks.ts";
import { createTables, type Tables } from "../tables/tables.ts";
import type { StoreFile, StoreFolder } from "./folder.ts";
import { CURRENT_FORMAT, type Format } from "./format.ts";
import { type Place, parseHeader, type TextLine } from "./lines.ts";
import { createLog, type Log } from "./log.ts";
import { migrate } from "./migrate.ts";
import { readLines, readLog } from "./read-log.ts";
import { putInPlace, removeLeftOver, STORE, writeNext } from "./write-log.ts";

/** An open store: its log, the tables over it, and the first number nobody was given. */
export type OpenStore = { readonly log: Log; readonly tables: Tables<Place>; readonly next: number };

/**
 * Opens the store in a folder, making it when there is none and migrating it when it is older. Its caller owns the
 * folder.
 *
 * Errors: `StorageTooNew` (nothing changed), `StorageDamaged`, and a plain error for a file that is not a store.
 */
export function openStore(folder: StoreFolder, fsync: boolean, format: Format = CURRENT_FORMAT): OpenStore {
	if (!folder.list().includes(STORE)) create(folder, format);
	const file = folder.open(STORE, "existing");
	try {
		const { version, end } = readHeader(folder, file, format);
		removeLeftOver(folder);
		if (version < format.version) {
			migrate(folder, file, end, version, format);
			file.close();
			return openStore(folder, fsync, format);
		}
		return restore(file, end, fsync);
	} catch (error) {
		file.close();
		throw error;
	}
}

function create(folder: StoreFolder, format: Format): void {
	writeNext(folder, format.version, ROOT_CONVERSATION_ID + 1, () => {}).file.close();
	putInPlace(folder);
}

function readHeader(
	folder: StoreFolder,
	file: StoreFile,
	format: Format,
): { readonly version: number; readonly end: number } {
	const first = readLines(file, 0).next().value;
	const version = first && parseHeader(first.bytes);
	if (version === undefined)
		throw new Error(`${folder.path}/${STORE} is not a store; name another folder for the store.`);
	if (version > format.version)
		throw new StorageTooNew(
			`The store in ${folder.path} was written by a newer version of this program (its format is ${version}, this program knows up to ${format.version}). Nothing was changed; start the newer version.`,
		);
	return { version, end: first!.bytes.length + 1 };
}

function restore(file: StoreFile, headerEnd: number, fsync: boolean): OpenStore {
	const log = createLog(file, headerEnd, fsync);
	const tables = createTables(log);
	const { end, marker } = readLog(file, headerEnd, (batch) => {
		for (const line of batch) takeIn(tables, log, line);
	});
	// Every store is made with a marker.
	if (marker === undefined)
		throw new StorageDamaged(`The store is damaged at byte ${end} of its file. Restore it from a backup.`);
	// What a crash left behind the last marker was never stored.
	if (file.size() > end) file.truncate(end);
	log.restored(end, marker.flushed);
	return { log, tables, next: marker.next };
}

function takeIn(tables: Tables<Place>, log: Log, { head, value, place }: TextLine): void {
	const [kind, seq = 0, id = 0, version = 0] = head;
	log.restore(place);
	switch (kind) {
		case "conversation":
			tables.conversations.put(value as unknown as ConversationRecord, place);
			break;
		case "entry":
			tables.entries.put(value as unknown as EntryRecord, place, seq as Seq);
			break;
		case "task":
			tables.tasks.put(value as unknown as AnyTaskRecord, place);
			break;
		case "submission":
			tables.restoreSubmission(value as unknown as SubmissionRecord, place);
			break;
		case "document":
			tables.documents.create(value as unknown as DocumentCreate, seq as Seq);
			break;
		case "retired":
			tables.documents.retire(value as DocumentId, seq as Seq);
			break;
		case "base":
		case "delta":
			tables.documents.write(id as DocumentId, {
				seq: seq as Seq,
				version,
				isBase: kind === "base",
				ref: place,
			});
	}
}

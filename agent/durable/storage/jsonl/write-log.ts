import type { TextHead } from "../tables/texts.ts";
import { crc32 } from "./crc32.ts";
import type { StoreFile, StoreFolder } from "./folder.ts";
import { headerLine, headText, markerLine, textLine } from "./lines.ts";
import { concatenated } from "./log.ts";

export const STORE = "store.jsonl";
/** What is being written to take the store's place; left over, it is of no use. */
const NEXT = "store.jsonl.next";

/** Bytes of lines under one marker. */
const BATCH = 1024 * 1024;

export type LogWriter = {
	/** Adds a text and returns where it begins. */
	add(head: TextHead, text: string): number;
};

/** A whole new store, written beside the old one and flushed. */
export type NextStore = { readonly file: StoreFile; readonly end: number };

/** Writes one; `next` is the first number that nobody was given. When it throws, nothing has changed. */
export function writeNext(
	folder: StoreFolder,
	version: number,
	next: number,
	fill: (writer: LogWriter) => void,
): NextStore {
	const file = folder.open(NEXT, "create");
	try {
		const end = writeLines(file, version, next, fill);
		file.sync();
		return { file, end };
	} catch (error) {
		file.close();
		folder.remove(NEXT);
		throw error;
	}
}

/** Puts what `writeNext` wrote in the store's place. When it throws, either of the two is there. */
export function putInPlace(folder: StoreFolder): void {
	folder.rename(NEXT, STORE);
	folder.sync();
}

/** Removes what a crash left of a store that was being written. */
export function removeLeftOver(folder: StoreFolder): void {
	if (folder.list().includes(NEXT)) folder.remove(NEXT);
}

function writeLines(
	file: StoreFile,
	version: number,
	next: number,
	fill: (writer: LogWriter) => void,
): number {
	const header = headerLine(version);
	file.write(0, header);
	let end = header.length;
	let lines: Uint8Array[] = [];
	let bytes = 0;

	function writeBatch(): void {
		const batch = concatenated(lines, bytes);
		// All of it is flushed before anybody reads it, so everything before this marker is.
		const marker = markerLine({ bytes, next, flushed: end }, crc32(batch));
		file.write(end, concatenated([batch, marker], bytes + marker.length));
		end += bytes + marker.length;
		lines = [];
		bytes = 0;
	}

	fill({
		add(head, text) {
			const line = textLine(head, text);
			const offset = end + bytes + headText(head).length;
			lines.push(line);
			bytes += line.length;
			if (bytes >= BATCH) writeBatch();
			return offset;
		},
	});
	if (bytes > 0) writeBatch();
	// One without lines, to carry the numbers and to vouch for everything before it.
	writeBatch();
	return end;
}

import { StorageDamaged } from "../../errors.ts";
import { crc32 } from "./crc32.ts";
import type { StoreFile } from "./folder.ts";
import { type Marker, parseMarker, parseText, type TextLine } from "./lines.ts";

const CHUNK = 1024 * 1024;
const NEWLINE = 0x0a;

export type Line = {
	readonly offset: number;
	/** Without the line feed; only good until the next line is asked for. */
	readonly bytes: Uint8Array;
};

/** The whole lines of a file from `start` on. What comes after the last line feed is no line. */
export function* readLines(file: StoreFile, start: number): Generator<Line> {
	let buffer: Uint8Array = new Uint8Array(0);
	let offset = start;
	for (;;) {
		let from = 0;
		for (let at = buffer.indexOf(NEWLINE); at >= 0; at = buffer.indexOf(NEWLINE, from)) {
			yield { offset: offset + from, bytes: buffer.subarray(from, at) };
			from = at + 1;
		}
		const rest = buffer.subarray(from);
		offset += from;
		const next = new Uint8Array(rest.length + Math.max(CHUNK, rest.length));
		next.set(rest);
		const count = file.read(offset + rest.length, next.subarray(rest.length));
		if (count === 0) return;
		buffer = next.subarray(0, rest.length + count);
	}
}

/** What the whole batches of a file come to. */
export type LogEnd = {
	/** Behind the last marker; what follows was never stored. */
	readonly end: number;
	/** The last marker's; undefined when there is none. */
	readonly marker: Marker | undefined;
};

/**
 * Reads the batches of a file from `start` on and hands each stored one to `take`, in order. A batch that isn't whole
 * ends the file, and is the tail that a crash left. It is damage, and throws `StorageDamaged`, when something that was
 * flushed after it shows that it had been whole.
 */
export function readLog(file: StoreFile, start: number, take: (batch: readonly TextLine[]) => void): LogEnd {
	let end = start;
	let last: Marker | undefined;
	let batch: TextLine[] = [];
	let crc = 0;
	let isBroken = false;
	for (const { offset, bytes } of readLines(file, start)) {
		const found = parseMarker(bytes);
		if (found === undefined) {
			const line = isBroken ? undefined : parseText(bytes, offset);
			if (line === undefined) isBroken = true;
			else batch.push(line);
			if (!isBroken) crc = crc32(LINE_FEED, crc32(bytes, crc));
			continue;
		}
		const { marker } = found;
		if (!isBroken && marker.bytes === offset - end && found.fits(crc)) {
			take(batch);
			end = offset + bytes.length + 1;
			last = marker;
		} else {
			if (marker.flushed > end && found.fits(crcOf(file, offset - marker.bytes, marker.bytes)))
				throw new StorageDamaged(
					`The store is damaged at byte ${end} of its file, before changes that were stored later. Restore it from a backup.`,
				);
			isBroken = true;
		}
		batch = [];
		crc = 0;
	}
	return { end, marker: last };
}

const LINE_FEED = Uint8Array.of(NEWLINE);

function crcOf(file: StoreFile, offset: number, length: number): number {
	let crc = 0;
	for (let done = 0; done < length; ) {
		const bytes = new Uint8Array(Math.min(CHUNK, length - done));
		const count = file.read(offset + done, bytes);
		if (count === 0) break;
		crc = crc32(bytes.subarray(0, count), crc);
		done += count;
	}
	return crc;
}

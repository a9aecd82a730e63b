import { StorageDamaged } from "../../errors.ts";
import type { Texts } from "../tables/texts.ts";
import { crc32 } from "./crc32.ts";
import { refusal, uncertain } from "./failures.ts";
import { isFull, type StoreFile } from "./folder.ts";
import { decode, headText, type Marker, markerLine, type Place, textLine } from "./lines.ts";

/** The open file that batches are appended to, and the texts in it. */
export type Log = Texts<Place> & {
	/** Forgets what was staged before, of a batch that was refused. */
	begin(): void;
	/**
	 * Stores what was staged, with the marker behind it. `next` is the first number that nobody was given. Throws
	 * `StorageRejected` (`StorageFull` when there was no room) when surely nothing was stored, a plain error when that
	 * is unknown: then the log must not be used again.
	 */
	append(next: number): void;
	/** Takes in a text that is stored already. */
	restore(place: Place): void;
	/** Everything that is stored has been taken in: the file ends here, and is flushed at least as far. */
	restored(end: number, flushed: number): void;
	/** Flushes every batch so far; nothing happens when that was done already. Throws a plain error. */
	flush(): void;
	/** Bytes of the file, and of those the ones that something still refers to, about. */
	size(): { readonly total: number; readonly live: number };
	/** Goes on in another file that holds the same texts; `moved` are their places there. */
	replace(file: StoreFile, end: number, moved: readonly (readonly [place: Place, offset: number])[]): void;
	close(): void;
};

/** About the bytes that a text takes, with what stands around it. */
function textCost({ length }: Place): number {
	return length + 32;
}

/** The log in `opened`, which is empty but for its header. `fsync` flushes a batch's lines before its marker. */
export function createLog(opened: StoreFile, headerEnd: number, fsync: boolean): Log {
	let file = opened;
	let end = headerEnd;
	let live = 0;
	let flushed = 0;
	let staged: Uint8Array[] = [];
	let stagedBytes = 0;
	let stagedLive = 0;

	/** Takes back what was written of a batch; when that fails too, nothing is certain any more. */
	function takeBack(cause: unknown): Error {
		try {
			file.truncate(end);
			return refusal(cause);
		} catch (error) {
			return uncertain(new AggregateError([cause, error], "what was written could not be taken back"));
		}
	}

	function writeLines(lines: Uint8Array): void {
		if (lines.length === 0) return;
		try {
			file.write(end, lines);
		} catch (error) {
			throw takeBack(error);
		}
		if (!fsync) return;
		try {
			file.sync();
		} catch (error) {
			throw uncertain(error);
		}
	}

	function writeMarker(offset: number, line: Uint8Array): void {
		try {
			file.write(offset, line);
		} catch (error) {
			throw isFull(error) ? takeBack(error) : uncertain(error);
		}
	}

	return {
		begin() {
			staged = [];
			stagedBytes = 0;
			stagedLive = 0;
		},

		stage(head, text) {
			const line = textLine(head, text);
			const before = headText(head).length;
			// Behind the text there is a bracket and a line feed.
			const place = { offset: end + stagedBytes + before, length: line.length - before - 2 };
			staged.push(line);
			stagedBytes += line.length;
			stagedLive += textCost(place);
			return place;
		},

		append(next) {
			const lines = concatenated(staged, stagedBytes);
			const marker: Marker = { bytes: lines.length, next, flushed };
			const line = markerLine(marker, crc32(lines));
			writeLines(lines);
			writeMarker(end + lines.length, line);
			end += lines.length + line.length;
			live += stagedLive;
		},

		restore(place) {
			live += textCost(place);
		},

		restored(fileEnd, fileFlushed) {
			end = fileEnd;
			flushed = fileFlushed;
		},

		flush() {
			if (flushed === end) return;
			try {
				file.sync();
			} catch (error) {
				throw uncertain(error);
			}
			flushed = end;
		},

		read({ offset, length }) {
			const bytes = new Uint8Array(length);
			if (file.read(offset, bytes) < length) throw damaged(offset);
			try {
				return decode(bytes);
			} catch (error) {
				throw damaged(offset, error);
			}
		},

		drop(place) {
			live -= textCost(place);
		},

		size: () => ({ total: end, live }),

		replace(next, size, moved) {
			file.close();
			file = next;
			end = size;
			flushed = size;
			for (const [place, offset] of moved) place.offset = offset;
		},

		close: () => file.close(),
	};
}

function damaged(offset: number, cause?: unknown): StorageDamaged {
	return new StorageDamaged(`The store is damaged at byte ${offset} of its file. Restore it from a backup.`, {
		cause,
	});
}

/** The parts, `length` bytes together, one after the other. */
export function concatenated(parts: readonly Uint8Array[], length: number): Uint8Array {
	if (parts.length === 1) return parts[0]!;
	const whole = new Uint8Array(length);
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

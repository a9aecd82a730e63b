import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { OutputPart, OutputWindow } from "../durable-commands.ts";
import { errorCode } from "../processes/signal.ts";
import { readRunRecord } from "./run-directory.ts";

/** How much of the beginning and of the end is looked at. */
export const WINDOW_BYTES = 64 * 1024;

/** A stretch of the output that one file holds. */
type Stretch = { readonly offset: number; readonly size: number };

/**
 * What is kept of an output: files named by the offset of their first byte. Where one doesn't begin at the end of the
 * one before, the bytes between are not kept.
 */
export type Spool = {
	readonly directory: string;
	readonly stretches: readonly Stretch[];
	/** Bytes written in all. */
	readonly size: number;
};

/** The output as it is now; with `end`, only the bytes before it. */
export function openSpool(directory: string, end = Number.POSITIVE_INFINITY): Spool {
	return spoolOf(directory, readRunRecord(directory).outputs, end);
}

export function spoolOf(
	directory: string,
	offsets: readonly number[],
	end = Number.POSITIVE_INFINITY,
): Spool {
	// An empty file counts: where the disk was full, it tells that bytes before it were lost.
	const stretches: Stretch[] = offsets
		.filter((offset) => offset <= end)
		.map((offset) => ({ offset, size: Math.min(sizeOf(directory, offset), end - offset) }));
	const last = stretches.at(-1);
	return { directory, stretches, size: last === undefined ? 0 : last.offset + last.size };
}

function sizeOf(directory: string, offset: number): number {
	try {
		return statSync(fileOf(directory, offset)).size;
	} catch (error) {
		// The relay removed it to make room.
		if (errorCode(error) === "ENOENT") return 0;
		throw error;
	}
}

function fileOf(directory: string, offset: number): string {
	return join(directory, `output-${offset}`);
}

/**
 * Up to `length` bytes in one piece, from `offset` or from the first kept byte after it. Synchronous: what is looked at
 * was just written, so it costs less to read it than to hand the reading to another thread.
 */
export function readSpool(spool: Spool, offset: number, length: number): OutputPart {
	const pieces: Uint8Array[] = [];
	let from = offset;
	let at = offset;
	for (const stretch of spool.stretches) {
		const end = stretch.offset + stretch.size;
		if (end <= at) continue;
		if (stretch.offset > at) {
			if (pieces.length > 0) break;
			from = stretch.offset;
			at = from;
		}
		const wanted = Math.min(end, from + length) - at;
		if (wanted <= 0) break;
		const piece = readFileRange(fileOf(spool.directory, stretch.offset), at - stretch.offset, wanted);
		pieces.push(piece);
		at += piece.length;
		// It was removed, or cut by a file system that failed: what comes after is another piece.
		if (piece.length < wanted) break;
	}
	return { bytes: Buffer.concat(pieces), offset: from, total: spool.size };
}

function readFileRange(path: string, position: number, length: number): Uint8Array {
	let file: number | undefined;
	try {
		file = openSync(path, "r");
		const bytes = Buffer.allocUnsafe(length);
		let filled = 0;
		while (filled < length) {
			const count = readSync(file, bytes, filled, length - filled, position + filled);
			if (count === 0) break;
			filled += count;
		}
		return bytes.subarray(0, filled);
	} catch (error) {
		if (errorCode(error) === "ENOENT") return new Uint8Array(0);
		throw error;
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

/** The first 64 KiB, the last 64 KiB and the size: all that is ever shown of a spool. */
export function windowOf(spool: Spool): OutputWindow {
	const head = headOf(spool);
	const tail = tailOf(spool, head.length);
	const kept = spool.stretches.reduce((sum, { size }) => sum + size, 0);
	return { head, tail, size: spool.size, lost: spool.size - kept };
}

function headOf(spool: Spool): Uint8Array {
	const part = readSpool(spool, 0, WINDOW_BYTES);
	return part.offset === 0 ? part.bytes : new Uint8Array(0);
}

/** What is kept without a gap up to the end, of the last 64 KiB and of what `head` doesn't have. */
function tailOf(spool: Spool, headLength: number): Uint8Array {
	let from = Math.max(headLength, spool.size - WINDOW_BYTES);
	for (;;) {
		const part = readSpool(spool, from, spool.size - from);
		const end = part.offset + part.bytes.length;
		if (end >= spool.size || part.bytes.length === 0) return part.bytes;
		from = end;
	}
}

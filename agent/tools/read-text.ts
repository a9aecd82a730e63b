import type { Context } from "@earendil-works/chord";
import type { BinaryReader } from "../durable/env/file-system.ts";
import { LineWindow, type LineWindowLimits } from "./line-window.ts";
import { contentHash } from "./read-files.ts";
import type { UnicodeEncoding } from "./text-encoding.ts";

const pieceBytes = 256 * 1024;

/** Up to this size a file is read to its end for its number of lines and its hash, also when few lines are wanted. */
const wholeBytes = 16 * 1024 * 1024;

export type TextWindow = {
	readonly lines: readonly string[];
	/** All lines of the file, or those passed until the window was full. */
	readonly total: { readonly lines: number; readonly isAll: boolean };
	/** Of the whole content, when it was read to its end. */
	readonly hash: string | undefined;
};

/** Reads the wanted lines of a text file piece by piece, so that the size of the file doesn't matter. */
export async function readTextWindow(
	reader: BinaryReader,
	encoding: UnicodeEncoding,
	limits: LineWindowLimits,
	context: Context,
): Promise<TextWindow> {
	const window = new LineWindow(limits);
	const decoder = new TextDecoder(encoding);
	const hash = contentHash();
	const toTheEnd = reader.stat.size <= wholeBytes;
	for (let offset = 0; ; ) {
		const piece = await reader.read(offset, pieceBytes, context);
		offset += piece.length;
		hash.update(piece);
		window.push(decoder.decode(piece, { stream: true }));
		if (piece.length < pieceBytes) break;
		if (window.full && !toTheEnd)
			return { lines: window.lines, total: { lines: window.total, isAll: false }, hash: undefined };
	}
	window.push(decoder.decode());
	window.end();
	return { lines: window.lines, total: { lines: window.total, isAll: true }, hash: hash.digest() };
}

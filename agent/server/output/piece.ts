import type { OutputPiece } from "../../protocol/index.ts";

/** Which part of an output is asked for, in bytes. */
export type Range = { readonly offset: number; readonly limit: number };

/** A part of bytes that are there as a whole. */
export function pieceOf(bytes: Buffer, { offset, limit }: Range, complete: boolean): OutputPiece {
	const start = Math.min(offset, bytes.length);
	return {
		base64: bytes.subarray(start, start + limit).toString("base64"),
		offset: start,
		total: bytes.length,
		complete,
	};
}

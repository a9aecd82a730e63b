import { isUtf8 } from "node:buffer";

/** Where a stretch of bytes was cut, if it was: half a character there is nobody's fault. */
export type Cut = { readonly begin?: boolean; readonly end?: boolean };

/**
 * UTF-8 as text. Invalid bytes and NUL become `\xNN`. At a cut end half a character is left out: the rest of it is to
 * come, or not to be had.
 */
export function decodeBytes(bytes: Uint8Array, cut: Cut = {}): string {
	const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const begin = cut.begin ? continuationBytes(whole) : 0;
	const end = cut.end ? whole.length - unfinishedBytes(whole) : whole.length;
	const part = whole.subarray(begin, Math.max(begin, end));
	return isUtf8(part) && !part.includes(0) ? part.toString("utf8") : decodeWithEscapes(part);
}

function continuationBytes(bytes: Buffer): number {
	let count = 0;
	while (count < 3 && isContinuation(bytes[count])) count++;
	return count;
}

/** How many bytes at the end begin a character that isn't whole. */
function unfinishedBytes(bytes: Buffer): number {
	for (let back = 1; back <= Math.min(3, bytes.length); back++) {
		const byte = bytes[bytes.length - back]!;
		if (isContinuation(byte)) continue;
		return expectedLength(byte) > back ? back : 0;
	}
	return 0;
}

function isContinuation(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Length of the character that a byte begins; 0 when it can't begin one. */
function expectedLength(byte: number): number {
	if (byte < 0x80) return 1;
	if (byte >= 0xc2 && byte < 0xe0) return 2;
	if (byte >= 0xe0 && byte < 0xf0) return 3;
	return byte >= 0xf0 && byte < 0xf5 ? 4 : 0;
}

function decodeWithEscapes(bytes: Buffer): string {
	const pieces: string[] = [];
	let from = 0;
	let at = 0;
	while (at < bytes.length) {
		const length = bytes[at] === 0 ? 0 : validLength(bytes, at);
		if (length > 0) {
			at += length;
			continue;
		}
		pieces.push(bytes.toString("utf8", from, at), `\\x${bytes[at]!.toString(16).padStart(2, "0")}`);
		at++;
		from = at;
	}
	pieces.push(bytes.toString("utf8", from, at));
	return pieces.join("");
}

/** Length of the valid character at `at`; 0 when there is none. */
function validLength(bytes: Buffer, at: number): number {
	const length = expectedLength(bytes[at]!);
	if (length <= 1) return length;
	return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

import { countValues } from "./count-values.ts";
import { type WireError, wireError } from "./errors.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { MAX_LINE_BYTES } from "./limits.ts";

/**
 * JSON lines are framed on the byte 0x0A and on nothing else. Line readers of the platform also break at U+2028 and the
 * like, which JSON may hold, so none of them is used here.
 */
const NEWLINE = 0x0a;
/** A byte order mark isn't JSON, so it isn't taken off. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const SMALLEST_BUFFER = 4096;
/** A buffer that grew past this for one long line isn't kept for the short ones after it. */
const LARGEST_KEPT_BUFFER = 64 * 1024;

/** Why reading stopped; `bad_line` or `line_too_long`. Nothing after it can be trusted. */
export type LineFailure = { readonly ok: false; readonly error: WireError };

export type Line = { readonly ok: true; readonly text: string } | LineFailure;

export type DecodedLine = { readonly ok: true; readonly value: JsonObject } | LineFailure;

/** Reads a stream of bytes, line by line. */
export type LineReader<L> = {
	/** What the lines that end in this chunk hold. A failure is the last thing it ever returns. */
	push(chunk: Uint8Array): L[];
	/** How many bytes of an unfinished line are held. */
	readonly pending: number;
};

export type LineOptions = {
	/** The longest line, without its newline; default 32 MiB. */
	readonly maxBytes?: number;
	/** The most list items and object fields of a line; default: any number. */
	readonly maxValues?: number;
};

/** Cuts a stream of bytes into lines of text, strictly UTF-8. For relays, which pass lines on unread. */
export function createLineSplitter(options: Omit<LineOptions, "maxValues"> = {}): LineReader<Line> {
	return createReader<Line>(options, (text) => ({ ok: true, text }));
}

/**
 * Cuts a stream of bytes into JSON objects. After a failure (not UTF-8, not one JSON object, too long) the connection is
 * to be closed with its error.
 */
export function createLineDecoder(options: LineOptions = {}): LineReader<DecodedLine> {
	return createReader<DecodedLine>(options, (text) => parseLine(text, options));
}

function createReader<L extends { readonly ok: true } | LineFailure>(
	{ maxBytes = MAX_LINE_BYTES }: LineOptions,
	read: (text: string) => L,
): LineReader<L | LineFailure> {
	let buffer = new Uint8Array(0);
	let length = 0;
	let failed = false;

	/** Chunks are copied into one buffer that doubles, so a long line costs the same however it is cut. */
	function append(bytes: Uint8Array): void {
		const needed = length + bytes.length;
		if (needed > buffer.length) {
			const doubled = Math.min(Math.max(SMALLEST_BUFFER, buffer.length * 2), maxBytes);
			const grown = new Uint8Array(Math.max(doubled, needed));
			grown.set(buffer.subarray(0, length));
			buffer = grown;
		}
		buffer.set(bytes, length);
		length = needed;
	}

	/** The line that ends with these bytes. */
	function finishLine(rest: Uint8Array): L | LineFailure {
		if (length + rest.length > maxBytes) return tooLong(maxBytes);
		let bytes = rest;
		if (length > 0) {
			append(rest);
			bytes = buffer.subarray(0, length);
		}
		const text = decodeText(bytes);
		length = 0;
		if (buffer.length > LARGEST_KEPT_BUFFER) buffer = new Uint8Array(0);
		return text === undefined ? notText : read(text);
	}

	function fail(): void {
		failed = true;
		length = 0;
		buffer = new Uint8Array(0);
	}

	return {
		get pending() {
			return length;
		},
		push(chunk) {
			const lines: (L | LineFailure)[] = [];
			if (failed) return lines;
			let from = 0;
			for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
				const line = finishLine(chunk.subarray(from, end));
				lines.push(line);
				if (!line.ok) {
					fail();
					return lines;
				}
				from = end + 1;
			}
			const rest = chunk.subarray(from);
			if (length + rest.length > maxBytes) {
				fail();
				lines.push(tooLong(maxBytes));
			} else if (rest.length > 0) append(rest);
			return lines;
		},
	};
}

/** Reads one line as a JSON object. */
export function parseLine(text: string, { maxValues }: LineOptions = {}): DecodedLine {
	if (maxValues !== undefined && countValues(text, maxValues) > maxValues)
		return {
			ok: false,
			error: wireError("bad_line", `A line may hold at most ${maxValues} values; send less at once.`),
		};
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		// The parser's own message quotes the line, which may be long or private.
		return { ok: false, error: wireError("bad_line") };
	}
	return isJsonObject(value) ? { ok: true, value } : { ok: false, error: wireError("bad_line") };
}

/** A message as the text of a line, without the newline. JSON escapes newlines, so the text holds none. */
export function encodeLine(message: object): string {
	return JSON.stringify(message);
}

const encoder = new TextEncoder();

/** The bytes of a line, newline included. */
export function frameLine(line: string): Uint8Array {
	return encoder.encode(`${line}\n`);
}

/** The bytes of a message, newline included; made once, they can go to any number of clients. */
export function encodeFrame(message: object): Uint8Array {
	return frameLine(encodeLine(message));
}

const notText: LineFailure = {
	ok: false,
	error: wireError("bad_line", "The line is not valid UTF-8; connect again and send UTF-8."),
};

function decodeText(bytes: Uint8Array): string | undefined {
	try {
		return utf8.decode(bytes);
	} catch {
		// The only thing that can be wrong with bytes of this length is that they aren't UTF-8.
		return undefined;
	}
}

function tooLong(maxBytes: number): LineFailure {
	const message =
		maxBytes === MAX_LINE_BYTES
			? undefined
			: `The line is longer than ${maxBytes} bytes; connect again and send less at once.`;
	return { ok: false, error: wireError("line_too_long", message) };
}

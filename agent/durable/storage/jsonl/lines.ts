import type { JsonValue } from "../../types/json.ts";
import type { TextHead } from "../tables/texts.ts";
import { crc32 } from "./crc32.ts";

/**
 * A store is lines of JSON, each an array whose first element says what it is:
 *
 *     ["outlive.durable", version]     the first line
 *     [kind, …numbers, text]           a text of a batch (`TextHead`)
 *     ["end", marker, crc]             the batch above it is stored
 *
 * `crc` is the CRC-32 of the batch's lines and of the marker before it.
 */
export type Marker = {
	/** The bytes of the batch's lines. */
	readonly bytes: number;
	/** No number from here on was ever given out. */
	readonly next: number;
	/** Up to here, at least, the file survives a power cut. */
	readonly flushed: number;
};

/** Where a text lies: bytes from the start of the file. A rewritten file moves it. */
export type Place = { offset: number; readonly length: number };

/** A line of a batch as it is read. */
export type TextLine = { readonly head: TextHead; readonly value: JsonValue; readonly place: Place };

export const FORMAT = "outlive.durable";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function encode(text: string): Uint8Array {
	return encoder.encode(text);
}

/** Throws for bytes that are not UTF-8. */
export function decode(bytes: Uint8Array): string {
	return decoder.decode(bytes);
}

export function headerLine(version: number): Uint8Array {
	return encode(`${JSON.stringify([FORMAT, version])}\n`);
}

/** What stands before a line's text; all of it ASCII. */
export function headText(head: TextHead): string {
	return `${JSON.stringify(head).slice(0, -1)},`;
}

export function textLine(head: TextHead, text: string): Uint8Array {
	return encode(`${headText(head)}${text}]\n`);
}

/** The marker of a batch whose lines have the CRC-32 `crc`. */
export function markerLine(marker: Marker, crc: number): Uint8Array {
	const start = `["end",${JSON.stringify(marker)}`;
	return encode(`${start},${crc32(encode(start), crc)}]\n`);
}

/** Reads a line as a text of a batch that begins at `offset`; undefined when it is none. */
export function parseText(line: Uint8Array, offset: number): TextLine | undefined {
	const parsed = parseArray(line);
	if (parsed === undefined || parsed.length < 2) return undefined;
	const head = parsed.slice(0, -1) as unknown as TextHead;
	const before = headText(head).length;
	return {
		head,
		value: parsed[parsed.length - 1]!,
		place: { offset: offset + before, length: line.length - before - 1 },
	};
}

export type MarkerLine = {
	readonly marker: Marker;
	/** Whether it belongs to lines of this CRC-32. */
	fits(crc: number): boolean;
};

/** Reads a line as a marker; undefined when it is none. */
export function parseMarker(line: Uint8Array): MarkerLine | undefined {
	if (line[2] !== 0x65 || line[3] !== 0x6e || line[4] !== 0x64) return undefined;
	const parsed = parseArray(line);
	if (parsed === undefined || parsed[0] !== "end" || parsed.length !== 3) return undefined;
	const start = encode(`["end",${JSON.stringify(parsed[1])}`);
	return { marker: parsed[1] as Marker, fits: (crc) => crc32(start, crc) === parsed[2] };
}

/** The version in a first line; undefined when it is not a store's. */
export function parseHeader(line: Uint8Array): number | undefined {
	const parsed = parseArray(line);
	if (parsed === undefined || parsed[0] !== FORMAT || !Number.isSafeInteger(parsed[1])) return undefined;
	return parsed[1] as number;
}

function parseArray(line: Uint8Array): JsonValue[] | undefined {
	try {
		const parsed = JSON.parse(decode(line)) as JsonValue;
		return Array.isArray(parsed) ? parsed : undefined;
	} catch {
		// Torn, or damaged: the caller knows which.
		return undefined;
	}
}

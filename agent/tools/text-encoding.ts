/**
 * How a text file's bytes become characters and, unchanged where nothing was edited, bytes again. `bytes` stands for
 * text that isn't valid UTF-8: each byte is one character (U+0000 to U+00FF), so that none is lost.
 */
export type TextEncoding = UnicodeEncoding | "bytes";
export type UnicodeEncoding = "utf-8" | "utf-16le" | "utf-16be";

export type TextFormat = { readonly encoding: TextEncoding; readonly bom: boolean };

export type DecodedText = TextFormat & { readonly text: string };

const plainUtf8 = { encoding: "utf-8", bom: false } as const;

/** How far into a file a NUL is looked for. */
const sniffedBytes = 8192;

/** What the first bytes of a file say about it; `binary` when they hold a NUL that no text encoding explains. */
export function sniffFormat(
	head: Uint8Array,
): { readonly encoding: UnicodeEncoding; readonly bom: boolean } | "binary" {
	if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: "utf-8", bom: true };
	if (head[0] === 0xff && head[1] === 0xfe) return { encoding: "utf-16le", bom: true };
	if (head[0] === 0xfe && head[1] === 0xff) return { encoding: "utf-16be", bom: true };
	return head.subarray(0, sniffedBytes).includes(0) ? "binary" : plainUtf8;
}

/** The file's text without its byte order mark; undefined for a binary file. `encodeText` is its exact inverse. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
	const format = sniffFormat(bytes);
	if (format === "binary") return undefined;
	const content = bytes.subarray(bomLength(format));
	try {
		// "ignoreBOM" keeps a second mark, which is content.
		const decoder = new TextDecoder(format.encoding, { fatal: true, ignoreBOM: true });
		return { ...format, text: decoder.decode(content) };
	} catch {
		// Not valid in its encoding: a UTF-16 file can't be edited as bytes, since NULs are part of its text.
		if (format.encoding !== "utf-8") return undefined;
		return { encoding: "bytes", bom: format.bom, text: Buffer.from(content).toString("latin1") };
	}
}

export function encodeText(text: string, format: TextFormat = plainUtf8): Uint8Array {
	const content = encodeContent(text, format.encoding);
	if (!format.bom) return content;
	const mark = format.encoding === "utf-16le" ? [0xff, 0xfe] : [0xfe, 0xff];
	return Buffer.concat([Uint8Array.from(bomLength(format) === 3 ? [0xef, 0xbb, 0xbf] : mark), content]);
}

/** Text as a model gives it, in the characters that the format's decoded text has. */
export function inEncoding(text: string, encoding: TextEncoding): string {
	return encoding === "bytes" ? Buffer.from(text, "utf8").toString("latin1") : text;
}

/** Decoded text as people read it: invalid bytes become U+FFFD. */
export function readable(text: string, encoding: TextEncoding): string {
	return encoding === "bytes" ? Buffer.from(text, "latin1").toString("utf8") : text;
}

function encodeContent(text: string, encoding: TextEncoding): Uint8Array {
	if (encoding === "utf-8") return new TextEncoder().encode(text);
	if (encoding === "bytes") return Buffer.from(text, "latin1");
	const littleEndian = Buffer.from(text, "utf16le");
	return encoding === "utf-16le" ? littleEndian : littleEndian.swap16();
}

function bomLength({ encoding, bom }: TextFormat): number {
	if (!bom) return 0;
	return encoding === "utf-8" || encoding === "bytes" ? 3 : 2;
}

export type ImageHeader = {
	readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
	/** Pixels. */
	readonly width: number;
	readonly height: number;
};

/** Reads type and size of an image from its first bytes, whatever its name; undefined for anything else. */
export function readImageHeader(head: Uint8Array): ImageHeader | undefined {
	const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
	try {
		return readPng(view) ?? readGif(view) ?? readWebp(view) ?? readJpeg(view);
	} catch (error) {
		// Ended before its header did: not an image that anyone can show.
		if (error instanceof RangeError) return undefined;
		throw error;
	}
}

function ascii(view: DataView, offset: number, length: number): string {
	return String.fromCharCode(...Array.from({ length }, (_, index) => view.getUint8(offset + index)));
}

/** PNG (ISO/IEC 15948), 5.2 and 11.2.2: the IHDR chunk comes first. */
function readPng(view: DataView): ImageHeader | undefined {
	if (view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a || ascii(view, 12, 4) !== "IHDR")
		return undefined;
	return { mimeType: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
}

/** GIF89a, 17 and 18: the logical screen. */
function readGif(view: DataView): ImageHeader | undefined {
	if (!/^GIF8[79]a$/.test(ascii(view, 0, 6))) return undefined;
	return { mimeType: "image/gif", width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/** RFC 9649, 2.5 to 2.7: one of three first chunks. */
function readWebp(view: DataView): ImageHeader | undefined {
	if (ascii(view, 0, 4) !== "RIFF" || ascii(view, 8, 4) !== "WEBP") return undefined;
	const size = (width: number, height: number): ImageHeader => ({ mimeType: "image/webp", width, height });
	switch (ascii(view, 12, 4)) {
		case "VP8 ":
			return size(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
		case "VP8L": {
			const bits = view.getUint32(21, true);
			return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
		}
		case "VP8X":
			return size(
				(view.getUint32(24, true) & 0xffffff) + 1,
				((view.getUint16(27, true) | (view.getUint8(29) << 16)) & 0xffffff) + 1,
			);
		default:
			return undefined;
	}
}

/** ITU-T T.81, B.1 and B.2.2: walks the segments up to the frame header. */
function readJpeg(view: DataView): ImageHeader | undefined {
	if (view.getUint16(0) !== 0xffd8) return undefined;
	for (let at = 2; ; ) {
		if (view.getUint8(at) !== 0xff) return undefined;
		const marker = view.getUint8(at + 1);
		if (marker === 0xff) {
			at += 1;
			continue;
		}
		const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
		if (isFrame)
			return { mimeType: "image/jpeg", height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
		at += 2 + view.getUint16(at + 2);
	}
}

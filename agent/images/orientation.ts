/**
 * How a camera says that its picture is to be turned (CIPA DC-008, Exif 2.32, 4.6.4 A "Orientation"): 1 is upright, 2 to
 * 8 are the mirrored and turned ones. 1 for whatever says nothing, or nothing sensible.
 */
export function readOrientation(image: Uint8Array): number {
	const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
	try {
		const tiff = exifOfJpeg(view) ?? exifOfWebp(view) ?? exifOfPng(view);
		const value = tiff === undefined ? 1 : orientationIn(tiff);
		return value >= 1 && value <= 8 ? value : 1;
	} catch (error) {
		// It ends within its own description: it is shown as it is.
		if (error instanceof RangeError) return 1;
		throw error;
	}
}

/** ITU-T T.81, B.1; Exif stands in an APP1 segment before the picture. */
function exifOfJpeg(view: DataView): DataView | undefined {
	if (view.getUint16(0) !== 0xffd8) return undefined;
	for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
		const marker = view.getUint8(at + 1);
		if (marker === 0xda) return undefined;
		// "Exif", then two zero bytes.
		if (marker === 0xe1 && view.getUint32(at + 4) === 0x45786966) return part(view, at + 10);
	}
	return undefined;
}

/** RFC 9649, 2.3 and 2.7.1.5: the chunk "EXIF"; each chunk takes an even number of bytes. */
function exifOfWebp(view: DataView): DataView | undefined {
	if (view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250) return undefined;
	for (let at = 12; at + 8 <= view.byteLength; ) {
		const length = view.getUint32(at + 4, true);
		if (view.getUint32(at) === 0x45584946) return part(view, at + 8);
		at += 8 + length + (length % 2);
	}
	return undefined;
}

/** PNG (ISO/IEC 15948), 5.3 and 11.3.3: the chunk "eXIf". */
function exifOfPng(view: DataView): DataView | undefined {
	if (view.getUint32(0) !== 0x89504e47) return undefined;
	for (let at = 8; at + 8 <= view.byteLength; at += 12 + view.getUint32(at))
		if (view.getUint32(at + 4) === 0x65584966) return part(view, at + 8);
	return undefined;
}

function part(view: DataView, start: number): DataView {
	return new DataView(view.buffer, view.byteOffset + start, view.byteLength - start);
}

/** TIFF 6.0, 2: the entry 0x0112 of the first directory. */
function orientationIn(tiff: DataView): number {
	const little = tiff.getUint16(0) === 0x4949;
	const directory = tiff.getUint32(4, little);
	const entries = tiff.getUint16(directory, little);
	for (let at = directory + 2; at < directory + 2 + entries * 12; at += 12)
		if (tiff.getUint16(at, little) === 0x0112) return tiff.getUint16(at + 8, little);
	return 1;
}

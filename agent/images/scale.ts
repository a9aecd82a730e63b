import { PhotonImage, resize, SamplingFilter } from "@silvia-odwyer/photon-node";
import type { ImageLimits } from "./image-limits.ts";
import { readOrientation } from "./orientation.ts";
import { type Pixels, swapsSides, upright } from "./upright.ts";

export type ScaledImage = {
	readonly bytes: Uint8Array;
	readonly mimeType: "image/png" | "image/jpeg";
	readonly width: number;
	readonly height: number;
};

/** Tried in turn where the wished quality is still too large; below the last, the picture gets smaller instead. */
const coarserQualities = [60, 40];
const nextSmaller = 0.75;

/**
 * Packs an image anew, upright and within the limits: as PNG or as JPEG on white, whichever is smaller. Of a moving
 * picture it takes the first frame. Runs for seconds on a large image. Throws what the decoder throws for an image that
 * is damaged.
 */
export function scale(bytes: Uint8Array, limits: ImageLimits): ScaledImage {
	const orientation = readOrientation(bytes);
	const original = PhotonImage.new_from_byteslice(bytes);
	const [width, height] = [original.get_width(), original.get_height()];
	const [most, mostOther] = swapsSides(orientation)
		? [limits.maxHeight, limits.maxWidth]
		: [limits.maxWidth, limits.maxHeight];
	for (let factor = Math.min(1, most / width, mostOther / height); ; factor *= nextSmaller) {
		const picture = upright(resized(original, factor), orientation);
		const packed = packWithin(picture, limits);
		if (packed !== undefined) return { ...packed, width: picture.width, height: picture.height };
		if (picture.width === 1 && picture.height === 1)
			throw new Error(`One pixel doesn't fit into ${limits.maxBytes} bytes.`);
	}
}

function resized(original: PhotonImage, factor: number): Pixels {
	const side = (pixels: number) => Math.max(1, Math.round(pixels * factor));
	const [width, height] = [side(original.get_width()), side(original.get_height())];
	if (factor === 1) return { data: own(original.get_raw_pixels()), width, height };
	const smaller = resize(original, width, height, SamplingFilter.Lanczos3);
	const data = own(smaller.get_raw_pixels());
	smaller.free();
	return { data, width, height };
}

function packWithin(picture: Pixels, { maxBytes, jpegQuality }: ImageLimits) {
	const png = { bytes: packed(picture, (image) => image.get_bytes()), mimeType: "image/png" as const };
	const opaque = onWhite(picture);
	const asJpeg = (quality: number) => ({
		bytes: packed(opaque, (image) => image.get_bytes_jpeg(quality)),
		mimeType: "image/jpeg" as const,
	});
	const jpeg = asJpeg(jpegQuality);
	const smaller = png.bytes.length <= jpeg.bytes.length ? png : jpeg;
	if (smaller.bytes.length <= maxBytes) return smaller;
	for (const quality of coarserQualities) {
		const coarser = asJpeg(quality);
		if (coarser.bytes.length <= maxBytes) return coarser;
	}
	return undefined;
}

function packed({ data, width, height }: Pixels, pack: (image: PhotonImage) => Uint8Array): Uint8Array {
	const image = new PhotonImage(data, width, height);
	try {
		return pack(image);
	} finally {
		// It lies in memory that nothing else frees.
		image.free();
	}
}

/** JPEG knows no transparency: left alone, what can't be seen would show as whatever colour it has. */
function onWhite(picture: Pixels): Pixels {
	const data = Uint8Array.from(picture.data);
	for (let at = 0; at < data.length; at += 4) {
		const opacity = data[at + 3]! / 255;
		if (opacity === 1) continue;
		for (let channel = at; channel < at + 3; channel++)
			data[channel] = Math.round(255 - (255 - data[channel]!) * opacity);
		data[at + 3] = 255;
	}
	return { ...picture, data };
}

function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
	return bytes as Uint8Array<ArrayBuffer>;
}

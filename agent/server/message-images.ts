import { type Content, protocolError } from "../protocol/index.ts";
import { readImageHeader } from "../tools/image-header.ts";
import { maxImageBytes, maxImagePixels } from "../tools/image-limits.ts";
import { count, formatSize } from "../tools/sizes.ts";

/** Enough to tell an image's kind and size, in characters of base64: JPEG puts whole thumbnails before its size. */
const HEAD = 4 * 64 * 1024;

/**
 * Refuses a message with an image that some model would refuse: once it is part of a session, it is sent with every
 * request. A client that can't scale images gets a sentence; the window scales them itself. Throws `invalid_params`.
 */
export function assertFittingImages(content: Content): void {
	if (typeof content === "string") return;
	const images = content.filter((part) => part.type === "image");
	for (const [index, { data, mimeType }] of images.entries()) {
		const which = images.length === 1 ? "The image" : `Image ${index + 1}`;
		const header = readImageHeader(Buffer.from(data.slice(0, HEAD), "base64"));
		if (header === undefined)
			throw refused(
				`${which} is not a PNG, JPEG, GIF or WebP, or it is damaged. Send it in one of these forms.`,
			);
		if (header.mimeType !== mimeType)
			throw refused(
				`${which} is ${header.mimeType}, not ${mimeType} as it is called. Send it under its own type.`,
			);
		const bytes = Math.floor((data.length * 3) / 4);
		const { width, height } = header;
		if (bytes > maxImageBytes || Math.max(width, height) > maxImagePixels)
			throw refused(
				`${which} is ${width} × ${height} pixels and ${formatSize(bytes)}, too large for models: at most ${formatSize(maxImageBytes)} and ${count(maxImagePixels, "pixel")} a side. Send a smaller copy.`,
			);
	}
}

function refused(message: string) {
	return protocolError("invalid_params", message);
}

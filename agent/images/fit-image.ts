import type { ImageHeader } from "./image-header.ts";
import type { ImageLimits } from "./image-limits.ts";
import type { ScaledImage } from "./scale.ts";
import { UnfitImageError } from "./unfit-image.ts";

/** Each pixel takes up to 16 bytes while an image is unpacked and scaled: a GB for as many as these. */
const MOST_MEGAPIXELS = 64;

/** One at a time: each may need a GB for a moment, and all cores have other work. */
let line: Promise<unknown> = Promise.resolve();

/** Whether an image of this many bytes is within the limits as it is. */
export function fits({ width, height }: ImageHeader, size: number, limits: ImageLimits): boolean {
	return width <= limits.maxWidth && height <= limits.maxHeight && size <= limits.maxBytes;
}

/**
 * Brings in what scales images: a MB of code that a start should not read. Called once the agent listens, so that it is
 * in memory also when the app is replaced later.
 */
export async function loadScaling(): Promise<void> {
	await import("./scaling-thread.ts");
}

/**
 * Scales an image to the limits while the agent goes on; the same image gives the same bytes each time.
 *
 * @param bytes a PNG, JPEG, GIF or WebP
 * @param header what stands at its beginning
 * @throws UnfitImageError when it is damaged, or too large to be unpacked
 * @throws the signal's reason
 */
export async function scaleImage(
	bytes: Uint8Array,
	{ width, height }: ImageHeader,
	limits: ImageLimits,
	signal?: AbortSignal,
): Promise<ScaledImage> {
	const megapixels = (width * height) / 1_000_000;
	if (megapixels > MOST_MEGAPIXELS)
		throw new UnfitImageError(
			`has ${Math.ceil(megapixels)} million pixels, more than the ${MOST_MEGAPIXELS} million that can be scaled down`,
		);
	const { scaleInThread } = await import("./scaling-thread.ts");
	const turn = line.then(() => {
		signal?.throwIfAborted();
		return scaleInThread({ bytes, limits }, signal);
	});
	line = turn.catch(() => {
		// Who asked hears of it; the next one's turn comes all the same.
	});
	return turn;
}

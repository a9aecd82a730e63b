import type { DraftImage } from "../state/drafts.ts";

/**
 * What every model takes, as the agent has it (`agent/images`): it would scale the image in any case, and what is scaled
 * here need not be sent and drafted in full.
 */
const MOST_PIXELS = 2000;
const MOST_BYTES = 3_538_944;
const KEPT = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
const QUALITIES = [0.9, 0.75, 0.6, 0.4];

/** Makes an image small enough for a model. Rejects, with a sentence for a person, what is no image. */
export async function scaleImage(file: Blob): Promise<DraftImage> {
	let bitmap: ImageBitmap;
	try {
		bitmap = await createImageBitmap(file);
	} catch (error) {
		throw new Error("That image can't be read. PNG, JPEG, GIF and WebP can be sent.", { cause: error });
	}
	const scale = Math.min(1, MOST_PIXELS / Math.max(bitmap.width, bitmap.height));
	const kind = KEPT.find((each) => each === file.type);
	if (scale === 1 && kind !== undefined && file.size <= MOST_BYTES)
		return { mimeType: kind, data: await base64Of(file) };
	const canvas = new OffscreenCanvas(
		Math.max(1, Math.round(bitmap.width * scale)),
		Math.max(1, Math.round(bitmap.height * scale)),
	);
	canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
	bitmap.close();
	const lossless = await canvas.convertToBlob({ type: "image/png" });
	if (lossless.size <= MOST_BYTES) return { mimeType: "image/png", data: await base64Of(lossless) };
	for (const quality of QUALITIES) {
		const blob = await canvas.convertToBlob({ type: "image/jpeg", quality });
		if (blob.size <= MOST_BYTES) return { mimeType: "image/jpeg", data: await base64Of(blob) };
	}
	throw new Error("That image stays too large for a model, however it is packed. Crop it and try again.");
}

async function base64Of(blob: Blob): Promise<string> {
	const bytes = new Uint8Array(await blob.arrayBuffer());
	let binary = "";
	for (let at = 0; at < bytes.length; at += 0x8000)
		binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
	return btoa(binary);
}

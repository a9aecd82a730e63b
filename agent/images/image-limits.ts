import type { Api, Model, ModelImageResizeOptions } from "@earendil-works/pi-ai";

/** What an image may be at most when it becomes a part of a session. */
export type ImageLimits = {
	/** Pixels. */
	readonly maxWidth: number;
	readonly maxHeight: number;
	/** Of the file itself; requests carry it as base64, a third longer. */
	readonly maxBytes: number;
	/** From 1 to 100. */
	readonly jpegQuality: number;
};

/** What every model that pi-ai 1.6.0 knows takes, at any number of images in a request. */
export const commonLimits: ImageLimits = {
	maxWidth: 2000,
	maxHeight: 2000,
	maxBytes: bytesInBase64(4_718_592),
	jpegQuality: 80,
};

/**
 * What a model takes of one image. Never more than all the others take: the image stays in the session, which may go on
 * with another model.
 *
 * @param model undefined when it isn't known which one will answer
 */
export function limitsOf(model: Model<Api> | undefined): ImageLimits {
	const own: ModelImageResizeOptions = model?.inputLimits?.images?.resize ?? {};
	return {
		maxWidth: Math.min(commonLimits.maxWidth, own.maxWidth ?? Number.POSITIVE_INFINITY),
		maxHeight: Math.min(commonLimits.maxHeight, own.maxHeight ?? Number.POSITIVE_INFINITY),
		maxBytes: Math.min(
			commonLimits.maxBytes,
			own.maxBytes === undefined ? Number.POSITIVE_INFINITY : bytesInBase64(own.maxBytes),
		),
		jpegQuality: own.jpegQuality ?? commonLimits.jpegQuality,
	};
}

function bytesInBase64(characters: number): number {
	return Math.floor(characters / 4) * 3;
}

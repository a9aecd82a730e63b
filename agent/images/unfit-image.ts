/** An image that can't be made to fit; `message` says why, to be put behind the image's name. */
export class UnfitImageError extends Error {
	override readonly name = "UnfitImageError";
}

import type { ConversationId, ModelRef, UserInput } from "../durable/index.ts";
import { fits, scaleImage } from "../images/fit-image.ts";
import { readImageHeader } from "../images/image-header.ts";
import type { ImageLimits } from "../images/image-limits.ts";
import { UnfitImageError } from "../images/unfit-image.ts";
import type { Parts } from "./parts.ts";
import { SessionError } from "./service.ts";

type ImagePart = Extract<Exclude<UserInput, string>[number], { type: "image" }>;

/**
 * A message whose images every model takes, to be stored: what is too large is scaled. Once it is part of a session, an
 * image is sent with every request, and one that is refused would make the session unusable. Scaling takes seconds;
 * messages to the same session that come meanwhile get their turn after it, so that they stand in the order they came.
 * Throws `invalid_params` for what is no image or can't be scaled, and says which and why.
 *
 * @param to the session, unless the message is the first of a new one
 */
export function fitMessage(
	{ imageLimits, inTurn, index }: Parts,
	content: UserInput,
	to: { readonly session: ConversationId } | { readonly model: ModelRef | undefined },
): Promise<UserInput> {
	const model = "session" in to ? index.get(to.session)?.model : to.model;
	const fit = () => fitImages(content, imageLimits(model));
	return "session" in to ? inTurn(to.session, fit) : fit();
}

async function fitImages(content: UserInput, limits: ImageLimits): Promise<UserInput> {
	if (typeof content === "string") return content;
	const images = content.filter((part) => part.type === "image");
	const fitting = new Map<ImagePart, ImagePart>();
	for (const [index, image] of images.entries()) {
		const name = images.length === 1 ? "The image" : `Image ${index + 1}`;
		fitting.set(image, await fitImage(image, name, limits));
	}
	return content.map((part) => (part.type === "image" ? fitting.get(part)! : part));
}

async function fitImage(image: ImagePart, name: string, limits: ImageLimits): Promise<ImagePart> {
	const bytes = Buffer.from(image.data, "base64");
	const header = readImageHeader(bytes);
	if (header === undefined)
		throw unfit(`${name} is not a PNG, JPEG, GIF or WebP, or it is damaged. Send it in one of these forms.`);
	if (header.mimeType !== image.mimeType)
		throw unfit(
			`${name} is ${header.mimeType}, not ${image.mimeType} as it is called. Send it under its own type.`,
		);
	if (fits(header, bytes.length, limits)) return image;
	try {
		const scaled = await scaleImage(bytes, header, limits);
		return { ...image, data: Buffer.from(scaled.bytes).toString("base64"), mimeType: scaled.mimeType };
	} catch (error) {
		if (!(error instanceof UnfitImageError)) throw error;
		throw unfit(`${name} ${error.message}. Send a smaller or a whole copy.`, error);
	}
}

function unfit(message: string, cause?: Error): SessionError {
	return new SessionError("invalid_params", message, { cause });
}

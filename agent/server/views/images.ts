import type { ImageContent, TextContent } from "@earendil-works/pi-ai";
import type { ImageReference } from "../../protocol/index.ts";

/** Where an image stands: in an entry, or in a message that is still queued. */
export type ImagePlace = {
	readonly in: "entry" | "submission";
	/** The id of the entry or of the submission. */
	readonly id: string;
	/** Which of its images, from 0. */
	readonly index: number;
};

const REFERENCE = /^image:(entry|submission):([1-9]\d*):(\d+)$/;

type Part = TextContent | ImageContent;

/** References to the images among the parts; none for a plain text. */
export function imageReferences(
	parts: string | readonly Part[],
	place: Omit<ImagePlace, "index">,
): ImageReference[] {
	return imagesOf(parts).map(({ data, mimeType }, index) => ({
		ref: `image:${place.in}:${place.id}:${index}`,
		mimeType,
		bytes: base64Bytes(data),
	}));
}

/** What a reference names; undefined for a text that is none, such as the id of a call. */
export function readImageReference(ref: string): ImagePlace | undefined {
	const match = REFERENCE.exec(ref);
	if (match === null) return undefined;
	const [, where, id, index] = match as unknown as [string, ImagePlace["in"], string, string];
	return { in: where, id, index: Number(index) };
}

export function imagesOf(parts: string | readonly Part[]): readonly ImageContent[] {
	return typeof parts === "string" ? [] : parts.filter((part): part is ImageContent => part.type === "image");
}

/** The texts among the parts, one after another. */
export function textOf(parts: string | readonly Part[]): string {
	if (typeof parts === "string") return parts;
	return parts
		.filter((part): part is TextContent => part.type === "text")
		.map(({ text }) => text)
		.join("\n");
}

function base64Bytes(data: string): number {
	const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
	return Math.floor((data.length * 3) / 4) - padding;
}

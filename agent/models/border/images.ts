import { createHash } from "node:crypto";
import type { Api, AssistantMessage, ImageContent, Message, Model, TextContent } from "@earendil-works/pi-ai";
import { leftOutOf } from "./remarks.ts";

/** The most images of a request where pi-ai knows no limit of the model. */
const MOST_IMAGES = 50;
/** The most bytes of base64 in the images of a request; the smallest request that a provider takes is 20 MB. */
const MOST_BYTES = 15_000_000;

/** How APIs refuse an image: its type, its size, or what is in it. */
const REFUSAL = /\bimages?\b|image_url|inline_?data|media.?type/i;

/**
 * The transcript as far as the model takes images: the newest that fit, and no image that its provider refused before.
 * A text stands in the place of each other. A model that takes no images at all gets pi-ai's own texts.
 */
export function withFittingImages(messages: readonly Message[], model: Model<Api>): Message[] {
	const all = messages.flatMap(imagesIn);
	if (all.length === 0 || !model.input.includes("image")) return [...messages];
	const refused = new Set(
		messages.flatMap((message) =>
			message.role === "assistant" && message.provider === model.provider
				? leftOutOf(message).flatMap((each) => (each.kind === "images" ? each.digests : []))
				: [],
		),
	);
	const sendable = refused.size === 0 ? all : all.filter((image) => !refused.has(digestOf(image)));
	const tooMany = new Set(sendable.slice(0, leftOutCount(sendable, mostImages(model))));
	return replaceImages(messages, (image) => {
		if (tooMany.has(image))
			return "[An image stood here. There are more images than the model takes, so it is left out.]";
		return refused.has(digestOf(image)) && refused.size > 0 ? REFUSED : undefined;
	});
}

const REFUSED = "[An image stood here. The model's provider refused it, so it is left out.]";

/**
 * The transcript without the images that a failed request was probably refused for: those that came after the newest
 * answer, or all of them when none did; and their digests.
 */
export function withoutRefusedImages(messages: readonly Message[]): {
	readonly messages: Message[];
	readonly digests: readonly string[];
} {
	const answered = messages.findLastIndex((message) => message.role === "assistant" && isAnswer(message));
	const recent = messages.slice(answered + 1).flatMap(imagesIn);
	const suspects = new Set(recent.length > 0 ? recent : messages.flatMap(imagesIn));
	return {
		messages: replaceImages(messages, (image) => (suspects.has(image) ? REFUSED : undefined)),
		digests: [...new Set([...suspects].map(digestOf))],
	};
}

/** Whether a failed request failed for an image in it. */
export function refusesImages({ errorMessage = "" }: AssistantMessage): boolean {
	return REFUSAL.test(errorMessage);
}

export function hasImages(messages: readonly Message[]): boolean {
	return messages.some((message) => imagesIn(message).length > 0);
}

function mostImages({ inputLimits }: Model<Api>): number {
	const { maxPerRequest, maxPerMessage } = inputLimits?.images ?? {};
	return maxPerRequest ?? maxPerMessage ?? MOST_IMAGES;
}

/**
 * How many of the oldest are left out. What is left out grows in steps of half of what fits, so that a provider's prompt
 * cache, which ends at the first difference, isn't lost with every new image.
 */
function leftOutCount(images: readonly ImageContent[], most: number): number {
	const total = images.reduce((sum, { data }) => sum + data.length, 0);
	const tooMany = inSteps(images.length - most, Math.max(1, Math.floor(most / 2)));
	const tooLarge = inSteps(total - MOST_BYTES, MOST_BYTES / 2);
	let count = 0;
	let bytes = 0;
	while (count < images.length && (count < tooMany || bytes < tooLarge))
		bytes += images[count++]!.data.length;
	return count;
}

function inSteps(excess: number, step: number): number {
	return excess <= 0 ? 0 : Math.ceil(excess / step) * step;
}

function imagesIn(message: Message): ImageContent[] {
	if (message.role !== "user" && message.role !== "toolResult") return [];
	if (typeof message.content === "string") return [];
	return message.content.filter((part): part is ImageContent => part.type === "image");
}

function replaceImages(
	messages: readonly Message[],
	textFor: (image: ImageContent) => string | undefined,
): Message[] {
	const replaced = (content: readonly (TextContent | ImageContent)[]) =>
		content.map((part) => {
			const text = part.type === "image" ? textFor(part) : undefined;
			return text === undefined ? part : { type: "text" as const, text };
		});
	return messages.map((message): Message => {
		if (imagesIn(message).length === 0) return message;
		if (message.role === "user") return { ...message, content: replaced(message.content as TextContent[]) };
		return message.role === "toolResult" ? { ...message, content: replaced(message.content) } : message;
	});
}

function isAnswer({ stopReason }: AssistantMessage): boolean {
	return stopReason === "stop" || stopReason === "toolUse" || stopReason === "length";
}

function digestOf({ data }: ImageContent): string {
	return createHash("sha256").update(data).digest("base64url").slice(0, 16);
}

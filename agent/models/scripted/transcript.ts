import { createHash } from "node:crypto";
import type { Message, ToolResultMessage, UserMessage } from "@earendil-works/pi-ai";
import { contentText } from "@earendil-works/pi-ai";
import { SUMMARY_OPENING } from "../../durable/index.ts";

/** What of a transcript decides an answer. */
export type Situation = {
	/** The newest message a person sent; absent when a compaction summary has taken its place. */
	readonly asked: { readonly text: string; readonly images: number } | undefined;
	/** Results that came back after that message, in order. */
	readonly results: readonly ToolResultMessage[];
	/** Attempts to answer that message which ended with an error. */
	readonly failures: number;
	readonly compacted: boolean;
};

/** Reads what decides the answer from the messages a provider is handed. */
export function readSituation(messages: readonly Message[]): Situation {
	const askedAt = messages.findLastIndex((message) => message.role === "user" && !isSummary(message));
	const asked = messages[askedAt];
	const since = messages.slice(askedAt + 1);
	return {
		asked: asked?.role === "user" ? { text: textOf(asked), images: imagesIn(asked) } : undefined,
		results: since.filter((message) => message.role === "toolResult"),
		failures: since.filter((message) => message.role === "assistant" && message.stopReason === "error")
			.length,
		compacted: messages.some((message) => message.role === "user" && isSummary(message)),
	};
}

/**
 * A name for this point of this transcript, to make ids of: the same transcript gives the same name, also after a
 * restart, and a longer one gives another.
 */
export function transcriptName(messages: readonly Message[]): string {
	return createHash("sha256").update(JSON.stringify(messages)).digest("hex").slice(0, 16);
}

function isSummary(message: UserMessage): boolean {
	return textOf(message).trimStart().startsWith(SUMMARY_OPENING);
}

function textOf(message: UserMessage): string {
	return contentText(message.content);
}

function imagesIn(message: UserMessage): number {
	return typeof message.content === "string"
		? 0
		: message.content.filter((block) => block.type === "image").length;
}

import type { Api, AssistantMessage, Message, Model } from "@earendil-works/pi-ai";
import { leftOutOf } from "./remarks.ts";

/** How APIs refuse thinking: that of another model or account, or with a signature they can't verify. */
const REFUSALS = [
	/signature.*thinking|thinking.*signature/i,
	/thought.?signature/i,
	/(thinking|redacted_thinking).*blocks?.*(cannot|must|invalid|expected)/i,
	/encrypted.?content/i,
	/item '?"?rs_|of type '?reasoning/i,
	/reasoning.*(not found|invalid|could not be verified|required following item)/i,
];

/**
 * Lets a model see the thinking of the provider's other models: pi-ai drops that of any model but the very one, though
 * most APIs take it. That of other providers pi-ai drops. What was refused once is not sent again.
 */
export function withThinking(messages: readonly Message[], model: Model<Api>): Message[] {
	const refusedBefore = messages.findLastIndex(
		(message) => isOf(message, model) && leftOutOf(message).some(({ kind }) => kind === "thinking"),
	);
	return messages.map((message, index) => {
		if (!isOf(message, model)) return message;
		return index < refusedBefore ? withoutThought(message) : asOf(message, model);
	});
}

/** The same without any thinking. */
export function withoutThinking(messages: readonly Message[]): Message[] {
	return messages.map((message) => (message.role === "assistant" ? withoutThought(message) : message));
}

export function hasThinking(messages: readonly Message[], model: Model<Api>): boolean {
	return messages.some(
		(message) =>
			isOf(message, model) &&
			message.content.some(
				(part) => part.type === "thinking" || ("thoughtSignature" in part && part.thoughtSignature),
			),
	);
}

/** Whether a failed request failed for the thinking in it. */
export function refusesThinking({ errorMessage = "" }: AssistantMessage): boolean {
	return REFUSALS.some((refusal) => refusal.test(errorMessage));
}

function isOf(message: Message, { provider, api }: Model<Api>): message is AssistantMessage {
	return message.role === "assistant" && message.provider === provider && message.api === api;
}

function asOf(message: AssistantMessage, { id }: Model<Api>): AssistantMessage {
	if (message.model === id) return message;
	return { ...message, model: id, responseModel: message.responseModel ?? message.model };
}

function withoutThought(message: AssistantMessage): AssistantMessage {
	const content = message.content.flatMap((part) => {
		if (part.type === "thinking") return [];
		if (part.type !== "toolCall" || part.thoughtSignature === undefined) return [part];
		const { thoughtSignature: _, ...call } = part;
		return [call];
	});
	return { ...message, content };
}

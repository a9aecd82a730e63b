import {
	type Api,
	type AssistantMessage,
	type AssistantMessageEventStream,
	calculateCost,
	type Model,
	ToolCallArgumentsStream,
} from "@earendil-works/pi-ai";
import { emptyAnswer } from "../../durable/model-request/empty-answer.ts";
import type { ApiUsage, BlockDelta, ContentBlock, StreamEvent } from "./cli-lines.ts";
import { fromCliName } from "./tool-manifest.ts";

/** The answer as it grows, in pi-ai's message and events. */
export type Response = {
	readonly message: AssistantMessage;
	/** What the API ended with, such as `end_turn`; undefined until then. */
	stopReason(): string | undefined;
	hasStarted(): boolean;
	/** Takes an event of the Messages API, except a second `message_start`. */
	take(event: StreamEvent): void;
};

export function createResponse(model: Model<Api>, stream: AssistantMessageEventStream): Response {
	const message: AssistantMessage = { ...emptyAnswer(model), stopReason: "pending", timestamp: Date.now() };
	const { content } = message;
	const places = new Map<number, Place>();
	let started = false;
	let stopReason: string | undefined;

	const begin = (index: number, block: ContentBlock) => {
		const contentIndex = content.length;
		places.set(index, { contentIndex, growing: new ToolCallArgumentsStream() });
		switch (block.type) {
			case "text":
				content.push({ type: "text", text: "" });
				return stream.push({ type: "text_start", contentIndex, partial: message });
			case "thinking":
				content.push({ type: "thinking", thinking: "" });
				return stream.push({ type: "thinking_start", contentIndex, partial: message });
			case "redacted_thinking":
				content.push({ type: "thinking", thinking: "", redacted: true, thinkingSignature: block.data });
				return stream.push({ type: "thinking_start", contentIndex, partial: message });
			case "tool_use":
				content.push({ type: "toolCall", id: block.id, name: fromCliName(block.name), arguments: {} });
				return stream.push({ type: "toolcall_start", contentIndex, partial: message });
			default:
				// A kind that is newer than this: nothing of it is shown, and its deltas find no place.
				places.delete(index);
		}
	};

	const grow = ({ contentIndex, growing }: Place, delta: BlockDelta) => {
		const block = content[contentIndex]!;
		if (delta.type === "text_delta" && block.type === "text") {
			block.text += delta.text;
			stream.push({ type: "text_delta", contentIndex, delta: delta.text, partial: message });
		} else if (delta.type === "thinking_delta" && block.type === "thinking") {
			block.thinking += delta.thinking;
			stream.push({ type: "thinking_delta", contentIndex, delta: delta.thinking, partial: message });
		} else if (delta.type === "signature_delta" && block.type === "thinking") {
			block.thinkingSignature = (block.thinkingSignature ?? "") + delta.signature;
		} else if (delta.type === "input_json_delta" && block.type === "toolCall") {
			block.arguments = growing.append(delta.partial_json);
			stream.push({ type: "toolcall_delta", contentIndex, delta: delta.partial_json, partial: message });
		}
	};

	const end = ({ contentIndex, growing }: Place) => {
		const block = content[contentIndex]!;
		switch (block.type) {
			case "text":
				return stream.push({ type: "text_end", contentIndex, content: block.text, partial: message });
			case "thinking":
				return stream.push({ type: "thinking_end", contentIndex, content: block.thinking, partial: message });
			default:
				if (growing.text.trim() !== "") Object.assign(block, growing.finish());
				return stream.push({ type: "toolcall_end", contentIndex, toolCall: block, partial: message });
		}
	};

	return {
		message,
		stopReason: () => stopReason,
		hasStarted: () => started,
		take(event) {
			switch (event.type) {
				case "message_start":
					started = true;
					message.responseId = event.message.id;
					message.responseModel = event.message.model;
					countUsage(message, model, event.message.usage);
					stream.push({ type: "start", partial: message });
					break;
				case "content_block_start":
					begin(event.index, event.content_block);
					break;
				case "content_block_delta": {
					const place = places.get(event.index);
					if (place !== undefined) grow(place, event.delta);
					break;
				}
				case "content_block_stop": {
					const place = places.get(event.index);
					places.delete(event.index);
					if (place !== undefined) end(place);
					break;
				}
				case "message_delta":
					countUsage(message, model, event.usage);
					stopReason = event.delta.stop_reason ?? undefined;
					if (stopReason !== undefined) message.rawStopReason = stopReason;
					break;
			}
		},
	};
}

/** Where a block of the API's message is in ours, and the text of its arguments if it is a call. */
type Place = { readonly contentIndex: number; readonly growing: ToolCallArgumentsStream };

/** The API's counts are of the whole message each time; what an event leaves out stays as it was. */
function countUsage({ usage }: AssistantMessage, model: Model<Api>, counted: ApiUsage | undefined): void {
	if (counted === undefined) return;
	usage.input = counted.input_tokens ?? usage.input;
	usage.output = counted.output_tokens ?? usage.output;
	usage.cacheRead = counted.cache_read_input_tokens ?? usage.cacheRead;
	usage.cacheWrite = counted.cache_creation_input_tokens ?? usage.cacheWrite;
	const longer = counted.cache_creation?.ephemeral_1h_input_tokens;
	if (longer !== undefined) usage.cacheWrite1h = longer;
	usage.totalTokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
	usage.cost = calculateCost(model, usage);
}

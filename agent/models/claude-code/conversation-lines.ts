import { createHash } from "node:crypto";
import type {
	Api,
	AssistantMessage,
	ImageContent,
	Message,
	Model,
	TextContent,
	ToolResultMessage,
	UserMessage,
} from "@earendil-works/pi-ai";
import { splitErrorToolResultImages, transformMessages } from "@earendil-works/pi-ai/api/transform-messages";
import { toCliName } from "./tool-manifest.ts";

/** A line of a conversation, as the CLI takes it. Those of a user and of the assistant take turns. */
export type ConversationLine = {
	readonly type: "user" | "assistant";
	readonly message: { readonly role: "user" | "assistant"; readonly content: readonly object[] };
	readonly parent_tool_use_id: null;
	readonly session_id: "";
};

/**
 * A transcript without its system messages as the CLI's lines. What pi-ai does on the way to another model is done:
 * thinking of another model, failed attempts and unfit ids of calls are left behind.
 */
export function conversationLines(messages: readonly Message[], model: Model<Api>): ConversationLine[] {
	const lines: ConversationLine[] = [];
	let turn: UserTurn = { results: [], rest: [] };
	const closeTurn = () => {
		const content = [...turn.results, ...turn.rest];
		turn = { results: [], rest: [] };
		if (content.length > 0) lines.push(line({ role: "user", content }));
	};
	for (const message of transformMessages([...messages], model, acceptableId)) {
		if (message.role === "user") turn.rest.push(...userBlocks(message));
		else if (message.role === "toolResult") addResult(turn, message);
		else if (message.role === "assistant") {
			const content = assistantBlocks(message);
			if (content.length === 0) continue;
			closeTurn();
			// Two answers in a row are one to the API.
			const previous = lines.at(-1)?.type === "assistant" ? lines.pop()!.message.content : [];
			lines.push(assistantLine(message, model, [...previous, ...content]));
		}
	}
	closeTurn();
	return lines;
}

/** The same for lines that mean the same to the model. */
export function fingerprint({ type, message }: ConversationLine): string {
	return createHash("sha256")
		.update(JSON.stringify([type, message.content]))
		.digest("base64");
}

/** What the API takes as the id of a call. */
const acceptableId = (id: string) => id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);

/** The API wants the results of calls before anything else of the same turn. */
type UserTurn = { readonly results: object[]; readonly rest: object[] };

function line(message: ConversationLine["message"]): ConversationLine {
	return { type: message.role, message, parent_tool_use_id: null, session_id: "" };
}

function userBlocks({ content }: UserMessage): object[] {
	return typeof content === "string" ? [textBlock(content)] : content.map(block);
}

function addResult(turn: UserTurn, result: ToolResultMessage): void {
	// The API refuses images in the result of a failed call.
	const split = splitErrorToolResultImages(result);
	turn.results.push({
		type: "tool_result",
		tool_use_id: result.toolCallId,
		...(result.isError ? { is_error: true } : {}),
		content: (split?.content ?? result.content).map(block),
	});
	if (split !== undefined) turn.rest.push(textBlock(split.caption), ...split.images.map(block));
}

function assistantBlocks(message: AssistantMessage): object[] {
	return message.content.flatMap((part): object[] => {
		switch (part.type) {
			case "text":
				return part.text.trim() === "" ? [] : [textBlock(part.text)];
			case "toolCall":
				return [{ type: "tool_use", id: part.id, name: toCliName(part.name), input: part.arguments }];
			default:
				if (part.thinkingSignature === undefined) return [];
				return part.redacted
					? [{ type: "redacted_thinking", data: part.thinkingSignature }]
					: [{ type: "thinking", thinking: part.thinking, signature: part.thinkingSignature }];
		}
	});
}

/** With the full id of the model that is asked: the CLI drops the thinking of any other, where its API may take it. */
function assistantLine(message: AssistantMessage, model: Model<Api>, content: object[]): ConversationLine {
	const own = fullId(model.id, message.provider === model.provider ? message.responseModel : undefined);
	return line({
		role: "assistant",
		content,
		...{
			id: message.responseId ?? `msg_${message.timestamp}`,
			type: "message",
			model: own,
			stop_reason: message.stopReason === "toolUse" ? "tool_use" : "end_turn",
			usage: { input_tokens: 0, output_tokens: 0 },
		},
	});
}

/** What the API calls the model: the id it answered by, unless that was another's; `[1m]` is no part of it. */
function fullId(asked: string, answered: string | undefined): string {
	const base = asked.replace(/\[.*\]$/, "");
	const isAlias = !base.startsWith("claude-");
	return answered !== undefined && (isAlias || answered.startsWith(base)) ? answered : base;
}

const textBlock = (text: string) => ({ type: "text", text });

function block(part: TextContent | ImageContent): object {
	return part.type === "text"
		? textBlock(part.text)
		: { type: "image", source: { type: "base64", media_type: part.mimeType, data: part.data } };
}

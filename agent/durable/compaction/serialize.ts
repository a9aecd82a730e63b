import type { AssistantMessage, ImageContent, Message, TextContent } from "@earendil-works/pi-ai";

/** How much of a result a summary needs, in characters. */
const RESULT_LIMIT = 2_000;

/**
 * A conversation as text, for a model that shall write about it and not go on with it. Results are cut, and so is
 * the middle of what is longer than `maxChars`.
 */
export function serializeConversation(messages: readonly Message[], maxChars: number): string {
	const text = messages.flatMap(partsOf).join("\n\n");
	if (text.length <= maxChars) return text;
	const half = Math.floor(maxChars / 2);
	const leftOut = text.length - 2 * half;
	return `${text.slice(0, half)}\n\n[${leftOut} characters left out here]\n\n${text.slice(-half)}`;
}

function partsOf(message: Message): string[] {
	switch (message.role) {
		case "system":
			return [];
		case "user":
			return [`[User]: ${textOf(message.content)}`];
		case "toolResult":
			return [`[Tool result]: ${cut(textOf(message.content))}`];
		case "assistant":
			return assistantParts(message);
	}
}

function assistantParts({ content }: AssistantMessage): string[] {
	const parts: string[] = [];
	const add = (label: string, texts: readonly string[], separator: string) => {
		const text = texts.filter((piece) => piece !== "").join(separator);
		if (text !== "") parts.push(`[${label}]: ${text}`);
	};
	add(
		"Assistant thinking",
		kinds(content, "thinking", ({ thinking }) => thinking),
		"\n",
	);
	add(
		"Assistant",
		kinds(content, "text", ({ text }) => text),
		"\n",
	);
	add("Assistant tool calls", kinds(content, "toolCall", callText), "; ");
	return parts;
}

type Part = AssistantMessage["content"][number];

function kinds<K extends Part["type"]>(
	content: readonly Part[],
	type: K,
	read: (part: Extract<Part, { type: K }>) => string,
): string[] {
	return content.flatMap((part) => (part.type === type ? [read(part as Extract<Part, { type: K }>)] : []));
}

function callText({ name, arguments: args }: Extract<Part, { type: "toolCall" }>): string {
	const given = Object.entries(args).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
	return `${name}(${given.join(", ")})`;
}

function textOf(content: string | readonly (TextContent | ImageContent)[]): string {
	if (typeof content === "string") return content;
	return content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
}

function cut(text: string): string {
	if (text.length <= RESULT_LIMIT) return text;
	return `${text.slice(0, RESULT_LIMIT)}\n[${text.length - RESULT_LIMIT} more characters]`;
}

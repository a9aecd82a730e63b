import type {
	Api,
	AssistantMessage,
	Message,
	Model,
	ToolCall,
	ToolResultMessage,
} from "@earendil-works/pi-ai";
import { contentText } from "@earendil-works/pi-ai";

/** How much of a call's arguments, and of its result, is told, in characters. */
const MOST_ARGUMENTS = 500;
const MOST_RESULT = 2_000;

/**
 * Puts a short text in the place of each call that another model made of a tool which isn't offered now, and of its
 * result: what was called and what came back. A model that is shown a call of a tool it doesn't have would call it too.
 */
export function withTombstones(
	messages: readonly Message[],
	model: Pick<Model<Api>, "provider" | "id">,
	offered: ReadonlySet<string>,
): Message[] {
	const isGone = (message: AssistantMessage, call: ToolCall) =>
		!offered.has(call.name) && !(message.provider === model.provider && message.model === model.id);
	const told: Message[] = [];
	/** The calls of the turn that were taken out, with their results; told after the results of its other calls. */
	let buried: { readonly call: ToolCall; result?: ToolResultMessage }[] = [];
	const tellBuried = () => {
		told.push(...buried.map(({ call, result }) => noteOf(call, result)));
		buried = [];
	};
	for (const message of messages) {
		if (message.role === "toolResult") {
			const grave = buried.find(({ call }) => call.id === message.toolCallId);
			if (grave === undefined) told.push(message);
			else grave.result = message;
			continue;
		}
		tellBuried();
		if (message.role !== "assistant") {
			told.push(message);
			continue;
		}
		const gone = message.content.filter((part) => part.type === "toolCall" && isGone(message, part));
		buried = (gone as ToolCall[]).map((call) => ({ call }));
		const content = message.content.filter((part) => !gone.includes(part));
		// Without its calls a turn of nothing but thinking says nothing.
		if (gone.length === 0) told.push(message);
		else if (content.some(({ type }) => type !== "thinking"))
			told.push({ ...message, content, ...endOf(content) });
	}
	tellBuried();
	return told;
}

function endOf(content: AssistantMessage["content"]): Pick<AssistantMessage, "stopReason"> | undefined {
	return content.some(({ type }) => type === "toolCall") ? undefined : { stopReason: "stop" };
}

function noteOf({ name, arguments: args }: ToolCall, result: ToolResultMessage | undefined): Message {
	const called = `The tool ${name}, which isn't offered any more, was called with ${cut(JSON.stringify(args), MOST_ARGUMENTS)}`;
	const text =
		result === undefined
			? `[${called}. No result is known.]`
			: `[${called}. It ${result.isError ? "failed" : "answered"}:]\n${cut(contentText(result.content), MOST_RESULT)}`;
	const images = result?.content.filter((part) => part.type === "image") ?? [];
	return { role: "user", content: [{ type: "text", text }, ...images], timestamp: result?.timestamp ?? 0 };
}

function cut(text: string, most: number): string {
	if (text.length <= most) return text;
	return `${text.slice(0, most).toWellFormed()}… (${text.length - most} more characters)`;
}

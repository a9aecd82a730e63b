import { once } from "node:events";
import {
	createModels,
	fauxAssistantMessage,
	fauxProvider,
	fauxText,
	fauxToolCall,
	type Message,
	type Models,
} from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import { defineTool, type ToolRegistration } from "../../types/tools.ts";

/** What the scenario sends, in order; a message that begins with `tools` makes the model call both tools first. */
export const MESSAGES = ["tools please", "plain"] as const;
/** What the scenario of compactions sends: the second one finds the context nearly full. */
export const LONG_MESSAGES = ["first", "second"].map((word) => word.padEnd(200, ` ${word}`));
/** A message whose call goes on until it is stopped. */
export const ENDLESS = "endless, please";
export const MODEL = { provider: "faux", modelId: "faux-1" } as const;

/** More requests than any one process makes. */
const PLENTY = 50;

/** A model that decides by the transcript alone, so that every process gets the same answers. */
export function answerModels(): Models {
	const faux = fauxProvider({ tokenSize: { min: 2, max: 2 } });
	faux.setResponses(
		Array.from(
			{ length: PLENTY },
			() =>
				({ messages }) =>
					answerTo(messages),
		),
	);
	const models = createModels();
	models.setProvider(faux.provider);
	return models;
}

function answerTo(messages: readonly Message[]) {
	const asked = messages.findLastIndex(({ role }) => role === "user");
	const content = textOf(messages[asked]);
	if (content.startsWith("<conversation>")) return fauxAssistantMessage("a summary of what was said");
	const hasResults = messages.slice(asked).some(({ role }) => role === "toolResult");
	if (content === ENDLESS && !hasResults)
		return fauxAssistantMessage(fauxToolCall("hold", {}, { id: "hold" }), { stopReason: "toolUse" });
	if (!content.startsWith("tools") || hasResults)
		return fauxAssistantMessage(`the answer to ${content}, in so many words that it takes a while`);
	const calls = ["mark", "look"].map((name) => fauxToolCall(name, {}, { id: `${name} for ${content}` }));
	return fauxAssistantMessage([fauxText("I will use my tools"), ...calls], { stopReason: "toolUse" });
}

function textOf(message: Message | undefined): string {
	const content = message?.content ?? "";
	if (typeof content === "string") return content;
	return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** `mark` must never run twice; `look` may be repeated; `hold` goes on until it is stopped. All note that they ran. */
export function createTools(
	note: (file: string, line: string) => void,
	held: () => void,
): ToolRegistration[] {
	const tool = (name: string, replay: "safe" | "unsafe", more?: (signal: AbortSignal) => Promise<void>) =>
		defineTool({
			name,
			description: name,
			parameters: obj({}),
			replay,
			execute: async (_args, api, context) => {
				note(`${name}.log`, api.callId);
				api.output(`${name} ran`);
				await more?.(context.abortSignal!);
				return {};
			},
		});
	const untilStopped = async (signal: AbortSignal) => {
		held();
		await once(signal, "abort");
	};
	return [tool("mark", "unsafe"), tool("look", "safe"), tool("hold", "unsafe", untilStopped)];
}

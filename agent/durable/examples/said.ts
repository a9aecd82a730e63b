import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import {
	createModels,
	type FauxContentBlock,
	type FauxResponseStep,
	fauxAssistantMessage,
	fauxProvider,
	type Message,
	type Models,
} from "@earendil-works/pi-ai";
import { AssistantEntry, type Conversation, type EntryId, type Submission } from "outlive/durable";

export const context = BACKGROUND_CONTEXT;

/**
 * A model that says what it is told to, so that the examples need no account: texts, lists of calls, or functions of
 * the transcript. Any provider of pi-ai takes its place.
 */
export function scriptedModel(...answers: (string | FauxContentBlock[] | FauxResponseStep)[]): Models {
	const faux = fauxProvider();
	faux.setResponses(
		answers.map((answer) => {
			if (typeof answer === "string") return fauxAssistantMessage(answer);
			return Array.isArray(answer) ? fauxAssistantMessage(answer, { stopReason: "toolUse" }) : answer;
		}),
	);
	const models = createModels();
	models.setProvider(faux.provider);
	return models;
}

export const MODEL = { provider: "faux", modelId: "faux-1" };

/** The text of a message, without what else is in it. */
export function textOf(message: Message | undefined): string {
	if (message === undefined) return "";
	if (typeof message.content === "string") return message.content;
	return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** The text of the entry that answers a question. */
export async function answerIn(conversation: Conversation, answer: EntryId): Promise<string> {
	const entry = await conversation.commit((tx) => tx.entry(AssistantEntry, answer), context);
	return textOf(entry?.model?.[0]);
}

/** Waits for the answer of an input and returns its text; throws why there is none. */
export async function answerTo(conversation: Conversation, submission: Submission): Promise<string> {
	const settled = await submission.wait(context);
	if (settled.status === "done" && settled.type === "input") return answerIn(conversation, settled.answer);
	throw new Error(`No answer: ${settled.status === "unanswered" ? settled.reason : settled.status}`);
}

/** Asks, and returns the text of the answer. */
export async function ask(conversation: Conversation, content: string): Promise<string> {
	return answerTo(conversation, await conversation.submit({ type: "input", content }, context));
}

/** What was said in the active transcript, a line each: `role: text`, calls as `name(arguments)`. */
export async function transcriptOf(conversation: Conversation): Promise<string> {
	const { messages } = await conversation.context(context);
	return messages
		.filter(({ role }) => role !== "system")
		.map((message) => `${message.role}: ${lineOf(message)}`)
		.join("\n");
}

function lineOf(message: Message): string {
	if (typeof message.content === "string") return message.content;
	return message.content
		.map((block) => {
			if (block.type === "toolCall") return `${block.name}(${JSON.stringify(block.arguments)})`;
			return block.type === "text" ? block.text : "";
		})
		.join("");
}

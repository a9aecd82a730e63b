import type { AssistantMessage, Message, ToolCall } from "@earendil-works/pi-ai";
import { isContextOverflow, isRetryableAssistantError, parseToolCallArguments } from "@earendil-works/pi-ai";
import { explain, quoteResults } from "./answers.ts";
import { readInstruction, type WrittenCall } from "./instruction.ts";
import { readSummaryRequest, summarize } from "./summary.ts";
import { readSituation, type Situation, transcriptName } from "./transcript.ts";

/** What the scripted model does with one request. */
export type Reply =
	| { readonly kind: "answer"; readonly text: string; readonly thinking?: string }
	/** Each piece is sent one interval after the one before. */
	| { readonly kind: "slow answer"; readonly pieces: readonly string[] }
	| { readonly kind: "calls"; readonly calls: readonly ToolCall[] }
	| { readonly kind: "failure"; readonly message: string }
	| { readonly kind: "silence" };

/**
 * The reply to a transcript: a function of nothing else. A request for a summary gets one. Results of calls made for the newest user message are
 * quoted; else that message picks.
 *
 * @param messages what the provider is handed, failed attempts included
 * @param contextWindow of the model, in tokens; named in the error that `overflow` gives
 */
export function replyTo(messages: readonly Message[], contextWindow: number): Reply {
	const wanted = readSummaryRequest(messages);
	if (wanted !== undefined) return { kind: "answer", text: summarize(wanted.conversation, wanted.focus) };
	const situation = readSituation(messages);
	if (situation.results.length > 0) return { kind: "answer", text: quoteResults(situation.results) };
	if (situation.asked === undefined)
		return { kind: "answer", text: explain({ compacted: situation.compacted, images: 0 }) };
	return replyToMessage(situation.asked, situation, messages, contextWindow);
}

function replyToMessage(
	asked: NonNullable<Situation["asked"]>,
	{ failures, compacted }: Situation,
	messages: readonly Message[],
	contextWindow: number,
): Reply {
	const instruction = readInstruction(asked.text);
	switch (instruction.form) {
		case "bash":
			return calls([{ name: "bash", arguments: { command: instruction.command } }], messages);
		case "tools":
			return calls(instruction.calls, messages);
		case "slow":
			return { kind: "slow answer", pieces: numberedWords(instruction.words, instruction.text) };
		case "flaky":
			return flaky(instruction.failures, failures, instruction.text);
		case "think":
			return {
				kind: "answer",
				thinking: instruction.text === "" ? "There is nothing to think about." : instruction.text,
				text: "I thought first, as asked; what I thought stands above this answer.",
			};
		case "overflow":
			return compacted
				? { kind: "answer", text: "The conversation was compacted, and now it fits." }
				: { kind: "failure", message: tooLong(contextWindow) };
		case "error":
			return { kind: "failure", message: permanent(instruction.message) };
		case "hang":
			return { kind: "silence" };
		case "unclear":
			return {
				kind: "answer",
				text: explain({ problem: instruction.problem, compacted: false, images: asked.images }),
			};
		case "other":
			return { kind: "answer", text: explain({ compacted: false, images: asked.images }) };
	}
}

function calls(written: readonly WrittenCall[], messages: readonly Message[]): Reply {
	const name = transcriptName(messages);
	return {
		kind: "calls",
		calls: written.map((call, index) => ({
			type: "toolCall",
			id: `script_${name}_${index + 1}`,
			name: call.name,
			// As a real provider's: arguments that are no object reach the harness with the error pi-ai gives them.
			...parseToolCallArguments(JSON.stringify(call.arguments)),
		})),
	};
}

/** `1:hello 2:world 3:hello …`: the words of the text in turn, each with its number. */
function numberedWords(count: number, text: string): string[] {
	const words = text === "" ? ["word"] : text.split(/\s+/);
	return Array.from(
		{ length: count },
		(_, index) => `${index === 0 ? "" : " "}${index + 1}:${words[index % words.length]}`,
	);
}

function flaky(wanted: number, failed: number, text: string): Reply {
	if (failed < wanted)
		return {
			kind: "failure",
			message: `Connection lost: the scripted model dropped it on purpose (${failed + 1} of ${wanted}).`,
		};
	const note = `This is attempt ${failed + 1}; ${failed} before it lost the connection.`;
	return { kind: "answer", text: text === "" ? note : `${text}\n\n${note}` };
}

function tooLong(contextWindow: number): string {
	return `prompt is too long: ${contextWindow + 1} tokens > ${contextWindow} maximum`;
}

/** The message as written, unless pi-ai would take it for a failure that passes or for a context that is too long. */
function permanent(message: string): string {
	const failed = { stopReason: "error", errorMessage: message } as AssistantMessage;
	if (!isRetryableAssistantError(failed) && !isContextOverflow(failed)) return message;
	return (
		"The scripted model was asked to fail for good. Its words are left out, because they read like a failure " +
		"that is worth another attempt; `flaky N: text` and `overflow` give those."
	);
}

import {
	type Api,
	type AssistantMessage,
	type AssistantMessageEvent,
	type AssistantMessageEventStream,
	createAssistantMessageEventStream,
	getCurrentTools,
	isContextOverflow,
	isRetryableAssistantError,
	type Message,
	type Model,
	type Provider,
	type StreamOptions,
	type Tool,
	type TranscriptContext,
} from "@earendil-works/pi-ai";
import { hasImages, refusesImages, withFittingImages, withoutRefusedImages } from "./images.ts";
import { type LeftOut, withRemark } from "./remarks.ts";
import { withStrictTools } from "./strict-tools.ts";
import { hasThinking, refusesThinking, withoutThinking, withThinking } from "./thinking.ts";
import { withTombstones } from "./tombstones.ts";
import { type ToolNames, toolNames } from "./tool-names.ts";
import { shapesFor } from "./tool-shapes.ts";

type Send<O> = (context: TranscriptContext, options: O) => AssistantMessageEventStream;

/**
 * The provider behind the border that a transcript crosses on its way to a model and back: other models' turns become
 * what this one takes, tools go by the names that it was trained on, and what the provider refuses of earlier turns is
 * left out, once, with a mark.
 */
export function withBorder(provider: Provider): Provider {
	return {
		...provider,
		stream: (model, context, options) =>
			cross(model, context, options, (sent, sentOptions) => provider.stream(model, sent, sentOptions)),
		streamSimple: (model, context, options) =>
			cross(model, context, options, (sent, sentOptions) => provider.streamSimple(model, sent, sentOptions)),
	};
}

function cross<O extends StreamOptions | undefined>(
	model: Model<Api>,
	context: TranscriptContext,
	options: O,
	send: Send<O>,
): AssistantMessageEventStream {
	const tools = getCurrentTools(context.messages);
	const names = toolNames(shapesFor(model), tools);
	const messages = outgoing(context.messages, model, tools);
	const request = (sent: readonly Message[]) =>
		send(
			{ ...context, messages: names.outgoing(withStrictTools(sent, tools)) } as TranscriptContext,
			options,
		);
	const told = createAssistantMessageEventStream();
	void tell(model, messages, request, names, told, options?.signal);
	return told;
}

/** What a model is shown of a transcript, still by our own names. */
function outgoing(messages: readonly Message[], model: Model<Api>, tools: readonly Tool[]): Message[] {
	const offered = new Set(tools.map(({ name }) => name));
	return withThinking(withFittingImages(withTombstones(messages, model, offered), model), model);
}

/** Tells what comes back, by our own names; asks again without what was refused, as long as nothing was said. */
async function tell(
	model: Model<Api>,
	first: readonly Message[],
	request: (messages: readonly Message[]) => AssistantMessageEventStream,
	names: ToolNames,
	told: AssistantMessageEventStream,
	signal: AbortSignal | undefined,
): Promise<void> {
	let messages = first;
	const marks: { readonly leftOut: LeftOut; readonly refusal: string }[] = [];
	const marked = (message: AssistantMessage) =>
		marks.reduce((sofar, { leftOut, refusal }) => withRemark(sofar, leftOut, refusal), message);
	const own = (message: AssistantMessage) => names.incoming(message);
	for (;;) {
		/** Held back until something is said: a request that is refused has said nothing. */
		let start: AssistantMessageEvent | undefined;
		let refusal:
			| { readonly without: Message[]; readonly leftOut: LeftOut; readonly words: string }
			| undefined;
		for await (const event of request(messages)) {
			if (event.type === "start") {
				start = event;
				continue;
			}
			if (event.type === "error" && signal?.aborted !== true) {
				const leave = whatToLeaveOut(
					event.error,
					messages,
					model,
					marks.map(({ leftOut }) => leftOut.kind),
				);
				if (leave !== undefined) {
					refusal = { ...leave, words: event.error.errorMessage ?? "" };
					break;
				}
			}
			if (start !== undefined) told.push(start);
			start = undefined;
			told.push(ownEvent(event, own, marked));
		}
		if (refusal === undefined) break;
		marks.push({ leftOut: refusal.leftOut, refusal: refusal.words });
		messages = refusal.without;
	}
	told.end();
}

/**
 * What a request may be sent again without; undefined when it failed for something else. Thinking goes once; of images
 * the new ones first, then all.
 */
function whatToLeaveOut(
	failed: AssistantMessage,
	messages: readonly Message[],
	model: Model<Api>,
	leftOut: readonly LeftOut["kind"][],
): { readonly without: Message[]; readonly leftOut: LeftOut } | undefined {
	const final = !isRetryableAssistantError(failed) && !isContextOverflow(failed);
	if (!final || failed.content.length > 0) return undefined;
	if (!leftOut.includes("thinking") && refusesThinking(failed) && hasThinking(messages, model))
		return { without: withoutThinking(messages), leftOut: { kind: "thinking" } };
	const imagesLeftOut = leftOut.filter((kind) => kind === "images").length;
	if (imagesLeftOut < 2 && refusesImages(failed) && hasImages(messages)) {
		const { messages: without, digests } = withoutRefusedImages(messages);
		return { without, leftOut: { kind: "images", digests } };
	}
	return undefined;
}

function ownEvent(
	event: AssistantMessageEvent,
	own: (message: AssistantMessage) => AssistantMessage,
	marked: (message: AssistantMessage) => AssistantMessage,
): AssistantMessageEvent {
	switch (event.type) {
		case "done":
			return { ...event, message: marked(own(event.message)) };
		case "error":
			return { ...event, error: marked(own(event.error)) };
		case "toolcall_end": {
			const partial = own(event.partial);
			const call = partial.content[event.contentIndex];
			return { ...event, partial, toolCall: call?.type === "toolCall" ? call : event.toolCall };
		}
		default:
			return { ...event, partial: own(event.partial) };
	}
}

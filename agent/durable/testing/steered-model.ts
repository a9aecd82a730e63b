import {
	type AssistantMessage,
	type AssistantMessageEventStream,
	createAssistantMessageEventStream,
	createModels,
	createProvider,
	type FauxContentBlock,
	fauxAssistantMessage,
	type Message,
	type Model,
	type Models,
} from "@earendil-works/pi-ai";
import type { ModelRef } from "../types/agent.ts";
import type { RequestOptions } from "../types/request-options.ts";
import { until } from "./until.ts";

/** A request as the provider got it, and the test's hand on its answer. */
export type SteeredRequest = {
	/** Which of the two models is asked. */
	readonly model: string;
	readonly messages: readonly Message[];
	readonly options: RequestOptions;
	/** Streams more text of the answer. */
	say(text: string): void;
	/** Ends the answer: what was said, and these parts. `toolUse` when one of them is a call. `cost` is in US dollars. */
	answer(
		parts?: string | FauxContentBlock | FauxContentBlock[],
		options?: { readonly cost?: number; readonly totalTokens?: number },
	): void;
	/** Ends the response as failed. */
	fail(errorMessage: string): void;
};

export type SteeredModel = {
	readonly models: Models;
	readonly ref: ModelRef;
	readonly requests: readonly SteeredRequest[];
	/** The n-th request, from 0, once it was made. */
	request(index: number): Promise<SteeredRequest>;
};

const API = "steered";

/** A model that answers only as its test says. It honours the request's signal as real providers do. */
export function createSteeredModel({
	baseUrl = "http://localhost:0",
	contextWindow = 1_000_000,
} = {}): SteeredModel {
	const requests: SteeredRequest[] = [];
	const model: Model<string> = {
		id: "steered-1",
		name: "Steered",
		api: API,
		provider: "steered",
		baseUrl,
		reasoning: false,
		input: ["text"],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow,
		maxTokens: 16_384,
	};
	const stream = (
		asked: Model<string>,
		context: { messages: Message[] },
		options: RequestOptions = {},
	): AssistantMessageEventStream => {
		const events = createAssistantMessageEventStream();
		requests.push(openRequest(events, asked.id, context.messages, options));
		return events;
	};
	const provider = createProvider({
		id: "steered",
		auth: { apiKey: { name: "Steered", resolve: async () => ({ auth: {} }) } },
		models: [model, { ...model, id: "steered-2" }],
		api: { stream, streamSimple: stream },
	});
	const models = createModels();
	models.setProvider(provider);
	return {
		models,
		ref: { provider: "steered", modelId: model.id },
		requests,
		request: (index) => until(`request ${index} to the model`, () => requests[index]),
	};
}

function openRequest(
	events: AssistantMessageEventStream,
	model: string,
	messages: Message[],
	options: RequestOptions,
): SteeredRequest {
	let partial = identified(fauxAssistantMessage([], { stopReason: "pending", timestamp: 0 }));
	let ended = false;
	events.push({ type: "start", partial });

	function end(message: AssistantMessage): void {
		if (ended) return;
		ended = true;
		if (message.stopReason === "error" || message.stopReason === "aborted")
			events.push({ type: "error", reason: message.stopReason, error: message });
		else if (message.stopReason === "toolUse" || message.stopReason === "stop")
			events.push({ type: "done", reason: message.stopReason, message });
		events.end(message);
	}

	function add(parts: AssistantMessage["content"]): void {
		partial = { ...partial, content: [...partial.content, ...parts] };
	}

	const onAbort = () => end({ ...partial, stopReason: "aborted", errorMessage: "Request was aborted" });
	if (options.signal?.aborted) onAbort();
	else options.signal?.addEventListener("abort", onAbort, { once: true });

	return {
		model,
		messages: structuredClone(messages),
		options,
		say(text) {
			const last = partial.content.at(-1);
			if (last?.type === "text")
				partial = {
					...partial,
					content: [...partial.content.slice(0, -1), { ...last, text: last.text + text }],
				};
			else add([{ type: "text", text }]);
			const contentIndex = partial.content.length - 1;
			events.push({ type: "text_delta", contentIndex, delta: text, partial });
		},
		answer(parts = [], { cost = 0, totalTokens = 0 } = {}) {
			add(fauxAssistantMessage(parts).content);
			const calls = partial.content.some(({ type }) => type === "toolCall");
			const usage = { ...partial.usage, totalTokens, cost: { ...partial.usage.cost, total: cost } };
			end({ ...partial, usage, stopReason: calls ? "toolUse" : "stop" });
		},
		fail: (errorMessage) => end({ ...partial, stopReason: "error", errorMessage }),
	};
}

function identified(message: AssistantMessage): AssistantMessage {
	return { ...message, api: API, provider: "steered", model: "steered-1" };
}

import { setTimeout as delay } from "node:timers/promises";
import type {
	AssistantMessage,
	Model,
	Provider,
	StreamOptions,
	TranscriptContext,
} from "@earendil-works/pi-ai";
import { createAssistantMessageEventStream } from "@earendil-works/pi-ai";
import { createScriptedProvider } from "../../../agent/models/scripted/provider.ts";
import { timedToken } from "./tokens.ts";

/** Fifty a second. */
export const TOKEN_INTERVAL_MS = 20;

const NO_USAGE: AssistantMessage["usage"] = {
	input: 0,
	output: 0,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: 0,
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** A provider in the scripted one's place; whatever it is asked, it streams timed tokens until it is aborted. */
export function createTimedProvider(): Provider<"script"> {
	const stream = (model: Model<string>, _context: TranscriptContext, options?: StreamOptions) => {
		const events = createAssistantMessageEventStream();
		const message: AssistantMessage = {
			role: "assistant",
			content: [],
			api: model.api,
			provider: model.provider,
			model: model.id,
			usage: NO_USAGE,
			stopReason: "pending",
			timestamp: Date.now(),
		};
		void send(events, message, options?.signal).catch((error: Error) =>
			events.push({
				type: "error",
				reason: "aborted",
				error: { ...message, stopReason: "aborted", errorMessage: error.message },
			}),
		);
		return events;
	};
	return { ...createScriptedProvider(), stream, streamSimple: stream };
}

/** Sends until it is aborted, and then rejects. */
async function send(
	events: ReturnType<typeof createAssistantMessageEventStream>,
	message: AssistantMessage,
	signal: AbortSignal | undefined,
): Promise<never> {
	let text = "";
	message.content[0] = { type: "text", text };
	events.push({ type: "start", partial: message });
	events.push({ type: "text_start", contentIndex: 0, partial: message });
	const begun = performance.now();
	for (let count = 1; ; count++) {
		// By the clock, not by the end of the last wait: a busy agent gets its tokens no more slowly.
		const due = begun + count * TOKEN_INTERVAL_MS - performance.now();
		await delay(Math.max(0, due), undefined, { signal });
		const delta = timedToken(Date.now());
		text += delta;
		message.content[0] = { type: "text", text };
		events.push({ type: "text_delta", contentIndex: 0, delta, partial: message });
	}
}

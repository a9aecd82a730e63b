import type { Model, Provider, StreamOptions, TranscriptContext } from "@earendil-works/pi-ai";
import { createProvider } from "@earendil-works/pi-ai";
import { replyTo } from "./reply.ts";
import { streamReply } from "./stream.ts";

export const SCRIPTED_PROVIDER = "script";
export const SCRIPTED_MODEL = "script-1";

const WORD_INTERVAL_MS = 100;

const model: Model<"script"> = {
	id: SCRIPTED_MODEL,
	name: "Scripted",
	api: "script",
	provider: SCRIPTED_PROVIDER,
	// Nothing is ever contacted.
	baseUrl: "",
	reasoning: true,
	input: ["text", "image"],
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
	contextWindow: 200_000,
	maxTokens: 32_000,
};

/**
 * The provider `script`: a model that needs no account and no network, and whose answer depends only on the transcript
 * it is sent. What it can be asked is in this folder's README.
 *
 * @param options `wordIntervalMs`: time between two words of `slow N:`, in ms; 100 unless a test wants it faster
 */
export function createScriptedProvider(
	options: { readonly wordIntervalMs?: number } = {},
): Provider<"script"> {
	const wordIntervalMs = options.wordIntervalMs ?? WORD_INTERVAL_MS;
	const stream = (requested: Model<string>, context: TranscriptContext, options?: StreamOptions) =>
		streamReply(replyTo(context.messages, requested.contextWindow), {
			model: requested,
			messages: context.messages,
			wordIntervalMs,
			signal: options?.signal,
		});
	return createProvider<"script">({
		id: SCRIPTED_PROVIDER,
		name: "Scripted",
		auth: {
			apiKey: { name: "No key", resolve: async () => ({ auth: {}, source: "needs no key" }) },
		},
		models: [model],
		api: { stream, streamSimple: stream },
	});
}

import type { Api, AssistantMessage, Model } from "@earendil-works/pi-ai";

/** What an answer of a model is before anything of it has come: without content, and nothing is spent. */
export function emptyAnswer({
	api,
	provider,
	id,
}: Model<Api>): Pick<AssistantMessage, "role" | "content" | "api" | "provider" | "model" | "usage"> {
	return {
		role: "assistant",
		content: [],
		api,
		provider,
		model: id,
		usage: {
			input: 0,
			output: 0,
			cacheRead: 0,
			cacheWrite: 0,
			totalTokens: 0,
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
		},
	};
}

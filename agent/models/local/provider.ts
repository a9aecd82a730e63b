import { createProvider, type Model, type Provider } from "@earendil-works/pi-ai";
import { openAICompletionsApi } from "@earendil-works/pi-ai/api/openai-completions.lazy";
import { tellingRetryAfter } from "../retry-after.ts";
import type { ServerAddress } from "./known-servers.ts";
import type { ListedModel } from "./list-models.ts";

type Api = "openai-completions";

/** Of a server that doesn't say: what most local models hold without being told to hold more. */
const USUAL_CONTEXT = 32_768;
const LONGEST_ANSWER = 8_192;

/** A provider for what a server on this machine offers. It costs nothing and takes no key. */
export function localProvider(server: ServerAddress, models: readonly ListedModel[]): Provider<Api> {
	const provider = createProvider<Api>({
		id: server.id,
		name: server.name,
		baseUrl: server.baseUrl,
		auth: {
			apiKey: {
				name: "No key",
				// The client that pi-ai uses asks for one; these servers don't look at it.
				resolve: async () => ({ auth: { apiKey: "none" }, source: "needs no key" }),
			},
		},
		models: models.map((model) => describe(server, model)),
		api: openAICompletionsApi(),
	});
	return tellingRetryAfter(provider);
}

/**
 * A model that its server doesn't list now. What it holds is not known, so nothing is compacted for it, and it is sent
 * images as before.
 */
export function unlistedModel(server: ServerAddress, id: string): Model<Api> {
	return { ...describe(server, { id, contextWindow: undefined, images: true }), contextWindow: 0 };
}

function describe(
	server: ServerAddress,
	{ id, contextWindow = USUAL_CONTEXT, images }: ListedModel,
): Model<Api> {
	return {
		id,
		name: id,
		api: "openai-completions",
		provider: server.id,
		baseUrl: server.baseUrl,
		reasoning: false,
		input: images ? ["text", "image"] : ["text"],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow,
		maxTokens: Math.min(LONGEST_ANSWER, Math.floor(contextWindow / 2)),
		// What only OpenAI's own servers know.
		compat: {
			supportsStore: false,
			supportsDeveloperRole: false,
			supportsReasoningEffort: false,
			supportsStrictMode: false,
			maxTokensField: "max_tokens",
		},
	};
}

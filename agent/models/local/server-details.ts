import { ask, firstCount, isObject } from "./ask.ts";

/** What a server says of a model beside the OpenAI-compatible list; what it doesn't say is absent. */
export type ModelDetails = {
	readonly contextWindow?: number;
	readonly images?: boolean;
	/** False for one that only embeds. */
	readonly answers?: boolean;
};

/** Of a server with more models, these are asked about; each costs a request. */
const MOST_ASKED = 100;

/**
 * What LM Studio, llama.cpp and Ollama say of their models in their own APIs, which stand beside the OpenAI-compatible
 * one. Which of them a server is shows by what answers; a server that is none of them has no details.
 */
export async function serverDetails(
	baseUrl: string,
	ids: readonly string[],
	signal: AbortSignal,
): Promise<ReadonlyMap<string, ModelDetails>> {
	const root = baseUrl.replace(/\/v1$/, "");
	const [lmStudio, llamaCpp, ollama] = await Promise.all([
		lmStudioDetails(root, signal),
		llamaCppDetails(root, ids, signal),
		ollamaDetails(root, ids, signal),
	]);
	return lmStudio ?? llamaCpp ?? ollama ?? new Map();
}

/** LM Studio's REST API v0: one list with everything; `vlm` is a model that sees. */
async function lmStudioDetails(
	root: string,
	signal: AbortSignal,
): Promise<Map<string, ModelDetails> | undefined> {
	const list = await ask(`${root}/api/v0/models`, signal);
	if (!isObject(list) || !Array.isArray(list.data)) return undefined;
	return new Map(
		(list.data as unknown[]).flatMap((model) => {
			if (!isObject(model) || typeof model.id !== "string") return [];
			const contextWindow = firstCount(model.loaded_context_length, model.max_context_length);
			return [
				[
					model.id,
					{
						...(contextWindow !== undefined && { contextWindow }),
						images: model.type === "vlm",
						answers: model.type !== "embeddings",
					},
				],
			];
		}),
	);
}

/** llama.cpp's server holds one model; `GET /props` tells of it. */
async function llamaCppDetails(
	root: string,
	ids: readonly string[],
	signal: AbortSignal,
): Promise<Map<string, ModelDetails> | undefined> {
	const props = await ask(`${root}/props`, signal);
	if (!isObject(props) || !isObject(props.modalities) || ids.length !== 1) return undefined;
	const settings = props.default_generation_settings;
	const contextWindow = isObject(settings) ? firstCount(settings.n_ctx) : undefined;
	const images = props.modalities.vision === true;
	return new Map([[ids[0]!, { ...(contextWindow !== undefined && { contextWindow }), images }]]);
}

/**
 * Ollama: `POST /api/show` tells of one model, `GET /api/ps` of those that are loaded. It cuts off what is longer than
 * the context it loaded a model with, and says nothing, so that one counts and not the most the model could.
 */
async function ollamaDetails(
	root: string,
	ids: readonly string[],
	signal: AbortSignal,
): Promise<Map<string, ModelDetails> | undefined> {
	const running = await ask(`${root}/api/ps`, signal);
	if (!isObject(running) || !Array.isArray(running.models)) return undefined;
	const loaded = new Map(
		(running.models as unknown[]).flatMap((model) =>
			isObject(model) && typeof model.name === "string" ? [[model.name, model.context_length] as const] : [],
		),
	);
	const shown = await Promise.all(
		ids.slice(0, MOST_ASKED).map(async (model) => [model, await ask(`${root}/api/show`, signal, { model })]),
	);
	return new Map(
		shown.flatMap(([id, model]): [string, ModelDetails][] => {
			if (typeof id !== "string" || !isObject(model)) return [];
			const contextWindow = firstCount(loaded.get(id), chosenContext(model.parameters));
			return [
				[id, { ...(contextWindow !== undefined && { contextWindow }), ...abilities(model.capabilities) }],
			];
		}),
	);
}

/** What a Modelfile sets, a line each: `num_ctx 16384`. */
function chosenContext(parameters: unknown): number | undefined {
	const match = typeof parameters === "string" ? /^num_ctx\s+(\d+)\s*$/m.exec(parameters) : null;
	return match === null ? undefined : Number(match[1]);
}

function abilities(capabilities: unknown): ModelDetails {
	if (!Array.isArray(capabilities)) return {};
	return { images: capabilities.includes("vision"), answers: capabilities.includes("completion") };
}

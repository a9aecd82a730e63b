import { ask, firstCount, isObject } from "./ask.ts";
import { serverDetails } from "./server-details.ts";

/** What a server says of one of its models. */
export type ListedModel = {
	readonly id: string;
	/** In tokens; undefined when it doesn't say. */
	readonly contextWindow: number | undefined;
	/** Whether it says that the model sees images. */
	readonly images: boolean;
};

/** What servers call the context they hold, the one in force before the most a model can. */
const CONTEXT_FIELDS = [
	"loaded_context_length",
	"n_ctx",
	"max_model_len",
	"context_length",
	"max_context_length",
];

/**
 * The models of an OpenAI-compatible server: `GET <baseUrl>/models`, and what the server says of them in its own API
 * where it has one. Undefined when nothing answers there in time, or something else does than such a list.
 *
 * @param baseUrl without a slash at the end
 */
export async function listModels(
	baseUrl: string,
	signal: AbortSignal,
): Promise<readonly ListedModel[] | undefined> {
	const listed = modelsIn(await ask(`${baseUrl}/models`, signal));
	if (listed === undefined || listed.size === 0) return listed && [];
	const details = await serverDetails(baseUrl, [...listed.keys()], signal);
	return [...listed].flatMap(([id, context]) => {
		const { contextWindow = context, images = false, answers = true } = details.get(id) ?? {};
		return answers ? [{ id, contextWindow, images }] : [];
	});
}

/** By its id, the context of each model that may answer, where the list has it. */
function modelsIn(list: unknown): Map<string, number | undefined> | undefined {
	if (!isObject(list) || !Array.isArray(list.data)) return undefined;
	const models = new Map<string, number | undefined>();
	for (const model of list.data as unknown[]) {
		if (!isObject(model) || typeof model.id !== "string" || model.id === "" || models.has(model.id)) continue;
		// Those that only embed have no answer to give.
		if (/embed/i.test(model.id)) continue;
		const said = isObject(model.meta) ? { ...model, ...model.meta } : model;
		models.set(model.id, firstCount(...CONTEXT_FIELDS.map((field) => said[field])));
	}
	return models;
}

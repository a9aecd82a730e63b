/** What a server says of one of its models. */
export type ListedModel = {
	readonly id: string;
	/** In tokens; undefined when it doesn't say. */
	readonly contextWindow: number | undefined;
};

/** A server on this machine answers in a few ms; one that is loading a model may take longer. */
const LONGEST_MS = 1_500;
/** A list of thousands of models is shorter. */
const MOST_BYTES = 4 * 1024 * 1024;
/** What servers call the context they hold, the one in force before the most a model can. */
const CONTEXT_FIELDS = [
	"loaded_context_length",
	"n_ctx",
	"max_model_len",
	"context_length",
	"max_context_length",
];

/**
 * The models of an OpenAI-compatible server: `GET <baseUrl>/models`. Undefined when nothing answers there in time, or
 * something else does than such a list.
 *
 * @param baseUrl without a slash at the end
 */
export async function listModels(
	baseUrl: string,
	signal: AbortSignal,
): Promise<readonly ListedModel[] | undefined> {
	try {
		const response = await fetch(`${baseUrl}/models`, {
			signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]),
			// It could lead to another machine.
			redirect: "error",
		});
		if (response.ok) return modelsIn(await textOf(response));
		await response.body?.cancel();
		return undefined;
	} catch {
		// Nobody there, too slow, or no HTTP: no model server.
		return undefined;
	}
}

async function textOf(response: Response): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of response.body ?? []) {
		text += decoder.decode(chunk, { stream: true });
		if (text.length > MOST_BYTES) throw new Error("That is no list of models.");
	}
	return text + decoder.decode();
}

function modelsIn(text: string): readonly ListedModel[] | undefined {
	const list: unknown = JSON.parse(text);
	if (!isObject(list) || !Array.isArray(list.data)) return undefined;
	const ids = new Set<string>();
	return list.data.flatMap((model: unknown) => {
		// Those that only embed have no answer to give.
		if (!isObject(model) || typeof model.id !== "string" || model.id === "" || /embed/i.test(model.id))
			return [];
		if (ids.has(model.id)) return [];
		ids.add(model.id);
		return [{ id: model.id, contextWindow: contextOf(model) }];
	});
}

function contextOf(model: Record<string, unknown>): number | undefined {
	const said = isObject(model.meta) ? { ...model, ...model.meta } : model;
	return CONTEXT_FIELDS.map((field) => said[field]).find(
		(value): value is number => typeof value === "number" && Number.isInteger(value) && value > 0,
	);
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}

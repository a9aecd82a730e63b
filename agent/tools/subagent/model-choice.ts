import type { Models } from "@earendil-works/pi-ai";
import type { ModelRef } from "../../durable/index.ts";

/** How many names an error lists. */
const MOST_NAMES = 8;

/**
 * The model a call asks for: `provider/model`, or a model's id alone, looked for at the caller's own provider first.
 * Throws a sentence for the model when there is none, or more than one.
 */
export function chooseModel(
	models: Pick<Models, "getModels">,
	asked: string,
	own: ModelRef | undefined,
): ModelRef {
	const isListed = (provider: string, id: string) =>
		models.getModels(provider).some((model) => model.id === id);
	const slash = asked.indexOf("/");
	const [provider, id] = [asked.slice(0, slash), asked.slice(slash + 1)];
	if (slash > 0 && isListed(provider, id)) return { provider, modelId: id };
	if (own !== undefined && isListed(own.provider, asked)) return { provider: own.provider, modelId: asked };
	const named = models.getModels().filter((model) => model.id === asked);
	const [only] = named;
	if (named.length === 1 && only !== undefined) return { provider: only.provider, modelId: only.id };
	if (named.length > 1)
		throw new Error(
			`Several providers have a model ${asked}: ${namesOf(named)}. Name it with its provider, or leave model out to use your own.`,
		);
	const near = own === undefined ? [] : models.getModels(own.provider);
	const others = near.length === 0 ? "" : ` There are, for example, ${namesOf(near)}.`;
	throw new Error(`There is no model ${asked}. Leave model out to use your own.${others}`);
}

function namesOf(models: readonly { readonly provider: string; readonly id: string }[]): string {
	return models
		.slice(0, MOST_NAMES)
		.map(({ provider, id }) => `${provider}/${id}`)
		.join(", ");
}

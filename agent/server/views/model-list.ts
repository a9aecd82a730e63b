import type { ModelRef } from "../../durable/index.ts";
import type { ModelList as Catalogued } from "../../models/catalog.ts";
import type { ModelList, ProviderInfo } from "../../protocol/index.ts";
import { modelName } from "../../sessions/model-entry.ts";

/** Who can answer now, and why the others can't. */
export function modelList(list: Catalogued, defaultModel: ModelRef): ModelList {
	const offered = list.available.some(
		({ provider, id }) => provider === defaultModel.provider && id === defaultModel.modelId,
	);
	return {
		models: list.available.map((model) => ({
			id: modelName({ provider: model.provider, modelId: model.id }),
			provider: model.provider,
			name: model.name,
			contextWindow: model.contextWindow,
			maxTokens: model.maxTokens,
			images: model.images,
			thinkingLevels: [...model.thinkingLevels],
			price: model.price === null ? null : { ...model.price },
		})),
		providers: list.providers.map((provider) => providerInfo(provider, list)),
		default: offered ? modelName(defaultModel) : null,
		refreshing: list.refreshing,
	};
}

function providerInfo(provider: Catalogued["providers"][number], { unavailable }: Catalogued): ProviderInfo {
	const { id, name, kind, note, takesKey } = provider;
	const missing = unavailable.find((each) => each.provider === id);
	if (missing !== undefined)
		return {
			...{ id, name, kind, available: false, reason: missing.reason, fix: missing.fix },
			...(missing.takeKeys === undefined ? {} : { takeKeys: missing.takeKeys.map((each) => ({ ...each })) }),
		};
	return {
		...{ id, name, kind, available: true },
		...(note === undefined ? {} : { note }),
		...(takesKey === undefined ? {} : { takesKey }),
	};
}

import type { Api, Model } from "@earendil-works/pi-ai";
import { ANTHROPIC_MODELS } from "@earendil-works/pi-ai/providers/anthropic.models";
import type { CliModel } from "./claude-process.ts";

export const CLAUDE_CODE = "claude-code";

/** The level names that pi-ai and the CLI share; what a model does without is null. */
const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

/**
 * Every model that a session may have been started with, from pi-ai's table. They can be named at any time, also
 * before anything is known of this machine's `claude`.
 */
export const KNOWN_MODELS: readonly Model<Api>[] = Object.values(ANTHROPIC_MODELS).map((model) => ({
	...shared(model as Model<Api>),
	thinkingLevelMap: { ...(model as Model<Api>).thinkingLevelMap, minimal: null },
}));

/** The models that the account can use, the CLI's own default first. */
export function offeredModels(models: readonly CliModel[]): readonly Model<Api>[] {
	const offered = new Map<string, Model<Api>>();
	for (const each of models) {
		if (each.disabled === true) continue;
		const id = each.resolvedModel ?? each.value;
		if (!offered.has(id)) offered.set(id, offeredModel(id, each));
	}
	return [...offered.values()];
}

/** A model that no look has found yet, such as one that is newer than pi-ai's table, in a session of an earlier agent. */
export const modelOfId = (id: string): Model<Api> => offeredModel(id, { value: id });

function offeredModel(id: string, cli: CliModel): Model<Api> {
	// `[1m]` asks for a larger context of the same model.
	const base = KNOWN_MODELS.find((model) => model.id === id.replace(/\[.*\]$/, ""));
	const levels = cli.supportedEffortLevels;
	const efforts =
		levels === undefined
			? {}
			: Object.fromEntries(EFFORTS.map((level) => [level, levels.includes(level) ? level : null]));
	return {
		...(base ?? unknownModel(cli)),
		id,
		...(id.endsWith("[1m]") ? { contextWindow: 1_000_000 } : {}),
		thinkingLevelMap: {
			...base?.thinkingLevelMap,
			...efforts,
			minimal: null,
			...(cli.supportsThinkingOff === false ? { off: null } : {}),
		},
	};
}

/** A model newer than pi-ai's table: what every model has had so far, and no price. */
function unknownModel({ displayName, value }: CliModel): Model<Api> {
	return shared({
		id: value,
		name: displayName ?? value,
		reasoning: true,
		input: ["text", "image"],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow: 200_000,
		maxTokens: 32_000,
	} as Model<Api>);
}

/** What holds for the model however it is reached. */
function shared(model: Model<Api>): Model<Api> {
	const { id, name, reasoning, input, cost, contextWindow, maxTokens, inputLimits, promptCache } = model;
	return {
		...{ id, name, reasoning, input, cost, contextWindow, maxTokens },
		...(inputLimits === undefined ? {} : { inputLimits }),
		...(promptCache === undefined ? {} : { promptCache }),
		api: CLAUDE_CODE,
		provider: CLAUDE_CODE,
		baseUrl: "",
	};
}

import type { UsageState } from "../../durable/index.ts";
import type { Spend, UsageView, WireEntry } from "../../protocol/index.ts";
import { addSpends, spendOf } from "./spend.ts";

/** What a conversation's models and tools spent, one by one. */
export function spendsOf({ models, tools }: UsageState): Spend[] {
	return [
		...Object.entries(models).map(([model, usage]) => spendOf(usage, providerOf(model))),
		...Object.values(tools).map((usage) => spendOf(usage, "")),
	];
}

export function usageView(
	usage: UsageState | undefined,
	subagents: Spend | undefined,
	context: UsageView["context"],
): UsageView {
	const models = Object.entries(usage?.models ?? {}).map(([model, spent]): [string, Spend] => [
		model,
		spendOf(spent, providerOf(model)),
	]);
	return {
		total: addSpends(usage === undefined ? [] : spendsOf(usage)),
		models: Object.fromEntries(models),
		...(subagents === undefined ? {} : { subagents }),
		...(context === undefined ? {} : { context }),
	};
}

/**
 * How many tokens the model's context held at the newest answer: what was sent and what came back. Undefined when none
 * came since the context was cut.
 */
export function contextTokens(entries: readonly WireEntry[]): number | undefined {
	for (const entry of entries.toReversed()) {
		if (entry.role === "system" && (entry.kind === "pi.compaction" || entry.kind === "pi.reset"))
			return undefined;
		if (entry.role === "assistant" && entry.usage !== undefined && entry.usage.totalTokens > 0)
			return entry.usage.totalTokens;
	}
	return undefined;
}

function providerOf(model: string): string {
	return model.slice(0, model.indexOf("/"));
}

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

/** Of a text that no provider has counted yet. */
const CHARACTERS_PER_TOKEN = 3.5;

/**
 * How many tokens the model's context held at the newest answer: what was sent and what came back. When none came since
 * a compaction, an estimate of what the compaction left; undefined when none came since a reset.
 */
export function contextTokens(entries: readonly WireEntry[]): number | undefined {
	for (const entry of entries.toReversed()) {
		if (entry.kind === "pi.reset") return undefined;
		if (entry.kind === "pi.compaction") return estimateAfter(entry, entries);
		if (entry.role === "assistant" && entry.usage !== undefined && entry.usage.totalTokens > 0)
			return entry.usage.totalTokens;
	}
	return undefined;
}

function estimateAfter(summary: WireEntry, entries: readonly WireEntry[]): number | undefined {
	const keeps =
		summary.role === "system" ? (summary.details as { keeps?: unknown } | undefined)?.keeps : undefined;
	const from = entries.findIndex(({ id }) => id === keeps);
	// What is kept began before the window: nothing can be said of it.
	if (from === -1) return undefined;
	const kept = entries.slice(from).filter(({ kind, id }) => id === summary.id || kind !== "pi.compaction");
	return Math.ceil(kept.reduce((sum, entry) => sum + charactersOf(entry), 0) / CHARACTERS_PER_TOKEN);
}

function charactersOf(entry: WireEntry): number {
	const text = entry.cut?.total ?? entry.text.length;
	if (entry.role !== "assistant") return text;
	if (entry.stopReason === "error" || entry.stopReason === "aborted") return 0;
	const calls = (entry.toolCalls ?? []).map(({ arguments: args }) => JSON.stringify(args).length);
	return [text, entry.thinking?.text.length ?? 0, ...calls].reduce((sum, each) => sum + each);
}

function providerOf(model: string): string {
	return model.slice(0, model.indexOf("/"));
}

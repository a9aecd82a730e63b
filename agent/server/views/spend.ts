import type { Usage } from "@earendil-works/pi-ai";
import type { Spend } from "../../protocol/index.ts";

/** Providers that are paid for by a plan: what a request costs there is only what it would cost at list prices. */
const PLANS: ReadonlySet<string> = new Set(["claude-code"]);

/** What pi-ai counted for a provider, as the wire shows it. */
export function spendOf(usage: Usage, provider: string): Spend {
	return {
		input: usage.input,
		output: usage.output,
		cacheRead: usage.cacheRead,
		cacheWrite: usage.cacheWrite,
		totalTokens: usage.totalTokens,
		cost: usage.cost.total,
		estimated: PLANS.has(provider),
	};
}

/** @param model `provider/model` */
export function isPaidByPlan(model: string): boolean {
	return PLANS.has(model.slice(0, model.indexOf("/")));
}

export const NO_SPEND: Spend = {
	input: 0,
	output: 0,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: 0,
	cost: 0,
	estimated: false,
};

/** A sum is an estimate when any part of it is. */
export function addSpends(spends: Iterable<Spend>): Spend {
	const sum = { ...NO_SPEND };
	for (const spend of spends) {
		sum.input += spend.input;
		sum.output += spend.output;
		sum.cacheRead += spend.cacheRead;
		sum.cacheWrite += spend.cacheWrite;
		sum.totalTokens += spend.totalTokens;
		sum.cost += spend.cost;
		sum.estimated ||= spend.estimated;
	}
	return sum;
}

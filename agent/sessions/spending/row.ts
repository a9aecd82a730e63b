import type { Usage } from "@earendil-works/pi-ai";

/** A sum of tokens, cost in US dollars, and runs. */
export type SpendingRow = {
	input: number;
	output: number;
	cacheRead: number;
	cacheWrite: number;
	totalTokens: number;
	cost: number;
	runs: number;
};

export function emptyRow(): SpendingRow {
	return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: 0, runs: 0 };
}

/** Adds one to the other, in place. */
export function addRow(sum: SpendingRow, more: SpendingRow): void {
	for (const field of Object.keys(more) as (keyof SpendingRow)[]) sum[field] += more[field];
}

export function rowOf({ input, output, cacheRead, cacheWrite, totalTokens, cost }: Usage): SpendingRow {
	return { input, output, cacheRead, cacheWrite, totalTokens, cost: cost.total, runs: 0 };
}

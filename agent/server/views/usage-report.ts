import type { SessionListView, Spend, UsageReport, UsageRow } from "../../protocol/index.ts";
import type { Spent } from "../../sessions/spending/spending.ts";
import { isPaidByPlan, NO_SPEND } from "./spend.ts";

/** What was spent, a row a day (newest first), model or project (most expensive first). */
export function usageReport(spent: readonly Spent[], by: "day" | "model" | "project"): UsageReport {
	const rows = Object.entries(Object.groupBy(spent, (each) => each[by])).map(
		([key, group = []]): UsageRow => ({ key, ...sumOf(group) }),
	);
	rows.sort((left, right) => {
		if (by === "day") return left.key < right.key ? 1 : -1;
		return right.cost - left.cost || right.totalTokens - left.totalTokens || (left.key < right.key ? -1 : 1);
	});
	return { rows, total: sumOf(spent) };
}

/** What today's runs cost, for the list of sessions. */
export function spentToday(spent: readonly Spent[]): NonNullable<SessionListView["today"]> {
	const { cost, runs, estimated } = sumOf(spent);
	return { cost, runs, estimated };
}

function sumOf(spent: readonly Spent[]): Spend & { runs: number } {
	const sum = { ...NO_SPEND, runs: 0 };
	for (const { model, row } of spent) {
		const { runs, ...tokens } = row;
		sum.runs += runs;
		for (const field of Object.keys(tokens) as (keyof typeof tokens)[]) sum[field] += tokens[field];
		sum.estimated ||= row.cost > 0 && isPaidByPlan(model);
	}
	return sum;
}

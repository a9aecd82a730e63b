import type { UsageReport } from "../../protocol/index.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { startOfDay } from "../output/day.ts";
import { moneyWords } from "../output/money-words.ts";
import { printableLine } from "../output/printable.ts";
import { table } from "../output/table.ts";
import { withLink } from "../reach/link.ts";

type Values = {
	readonly since: string | undefined;
	readonly by: "day" | "model" | "project" | undefined;
};

/** `usage`: tokens and cost of all sessions, by day unless asked otherwise. */
export async function run({ options, place, output }: Call<object, Values>): Promise<ExitCode> {
	const since = options.since === undefined ? undefined : startOfDay(options.since);
	const by = options.by ?? "day";
	return withLink(place, async (link) => {
		const report = await link.ask("usage", { by, ...(since === undefined ? {} : { since }) });
		if (report.rows.length === 0 && !output.json) output.note("Nothing was spent in that time.");
		else
			output.result(report, () =>
				inWords(report, by, output.stdout.isTTY ? output.stdout.columns : undefined),
			);
		return 0;
	});
}

const NONE = { day: "", model: "no model", project: "no project" } as const;

function inWords({ rows, total }: UsageReport, by: keyof typeof NONE, width: number | undefined): string {
	const line = (key: string, row: UsageReport["total"]) => [
		key,
		`${grouped(row.runs)} ${row.runs === 1 ? "run" : "runs"}`,
		`${grouped(row.input + row.cacheWrite)} in`,
		`${grouped(row.cacheRead)} cached`,
		`${grouped(row.output)} out`,
		moneyWords(row.cost, row.estimated),
	];
	const lines = rows.map((row) => line(printableLine(row.key) || NONE[by], row));
	return table(rows.length > 1 ? [...lines, line("all", total)] : lines, width);
}

function grouped(value: number): string {
	return value.toLocaleString("en-US");
}

import type { Figure } from "./row.ts";

/** The figures as a table for a terminal: what was measured, its goal, and whether that is met. */
export function table(figures: readonly Figure[]): string {
	const cells = figures.map(({ name, value, unit, goal, from }) => [
		name,
		`${short(value)} ${unit}`,
		`≤ ${short(goal)} ${unit}`,
		value <= goal ? "met" : "missed",
		Object.entries(from)
			.map(([what, number]) => `${what} ${short(number)}`)
			.join(", "),
	]);
	const rows = [["", "now", "goal", "", "from"], ...cells];
	const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
	return rows
		.map((row) =>
			row
				.map((cell, column) => cell.padEnd(widths[column]!))
				.join("  ")
				.trimEnd(),
		)
		.map((line) => `${line}\n`)
		.join("");
}

/** Three digits that count, and no more. */
function short(value: number): string {
	if (value !== 0 && Math.abs(value) < 0.01) return value.toExponential(1);
	return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

import { missingTool } from "../../setup/tools.mjs";
import type { Figure, Row } from "../row.ts";
import { runProgram } from "../run-program.ts";
import { quantile } from "../statistics.ts";

const LONG = 100_000;
/** It drives a page, so it stands with the window, where the compiler knows of pages. */
const PROGRAM = "../../../renderer/testing/stream-measures";

type Measure = {
	readonly entries: number;
	/** From one frame to the next, in ms. */
	readonly frames: readonly number[];
	readonly longTasks: number;
	readonly elements: number;
};

export const window: Row = {
	name: "window",
	async measure({ quick }) {
		const missing = missingTool("chromium");
		if (missing !== false) throw new Error(missing);
		const lengths = quick ? [LONG, 0] : [LONG, 0, 0, LONG, LONG, 0];
		const measures = await runProgram<Measure[]>(PROGRAM, { lengths, seconds: quick ? 4 : 20 });
		return figures(
			measures.filter(({ entries }) => entries === LONG),
			measures.filter(({ entries }) => entries === 0),
		);
	},
};

function figures(long: readonly Measure[], empty: readonly Measure[]): Figure[] {
	return [
		{
			name: "window",
			value: frame(long) / frame(empty),
			unit: "×",
			goal: 1.2,
			from: { "100,000 entries, p95 frame ms": frame(long), "empty, p95 frame ms": frame(empty) },
		},
		{
			name: "window, long tasks",
			value: longTasks(long) - longTasks(empty),
			unit: "more",
			goal: 1,
			from: { "100,000 entries": longTasks(long), empty: longTasks(empty) },
		},
		{
			name: "window, elements",
			value: Math.max(...[...long, ...empty].map(({ elements }) => elements)),
			unit: "elements",
			goal: 3000,
			from: {},
		},
	];
}

/** The middle of the runs: a burst of other work on the machine hits one of them, on either side. */
function frame(measures: readonly Measure[]): number {
	return quantile(
		measures.map(({ frames }) => quantile(frames, 0.95)),
		0.5,
	);
}

function longTasks(measures: readonly Measure[]): number {
	return measures.reduce((sum, measure) => sum + measure.longTasks, 0) / measures.length;
}

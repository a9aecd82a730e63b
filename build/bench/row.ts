import type { Ground } from "./ground.ts";

/** What a figure's value is counted in. */
export type Unit = "×" | "ms" | "ms a session" | "% of a core" | "MB" | "a minute" | "more" | "elements";

/** One number that a goal is set for. */
export type Figure = {
	/** Its row's name, or the row's name and what it is. */
	readonly name: string;
	readonly value: number;
	readonly unit: Unit;
	/** The most that it should be. */
	readonly goal: number;
	/** What it was made from, for whoever wants to know why; the names carry their units. */
	readonly from: Readonly<Record<string, number>>;
};

/** One thing that is measured. The README of this folder says what each is, and against what. */
export type Row = {
	readonly name: string;
	/** Rejects when it could not be measured; a goal that is missed is a figure like any other. */
	measure(ground: Ground): Promise<readonly Figure[]>;
};

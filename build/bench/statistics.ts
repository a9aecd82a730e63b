/** The value below which the given part of the others lies; `part` from 0 to 1. Throws without values. */
export function quantile(values: readonly number[], part: number): number {
	if (values.length === 0) throw new Error("There are no values to take a quantile of.");
	const sorted = values.toSorted((left, right) => left - right);
	const position = part * (sorted.length - 1);
	const below = sorted[Math.floor(position)]!;
	const above = sorted[Math.ceil(position)]!;
	return below + (above - below) * (position - Math.floor(position));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/**
 * Takes several measures in turn, in the one order and then in the other, so that whatever else the machine does
 * meanwhile falls on all of them alike.
 *
 * @returns the values of each measure, in the order of `measures`
 */
export async function interleaved(
	repetitions: number,
	measures: readonly (() => Promise<number>)[],
): Promise<number[][]> {
	const values = measures.map((): number[] => []);
	const forwards = [...measures.keys()];
	for (let repetition = 0; repetition < repetitions; repetition++)
		for (const index of repetition % 2 === 0 ? forwards : forwards.toReversed())
			values[index]!.push(await measures[index]!());
	return values;
}

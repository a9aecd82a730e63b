import type { TestContext } from "node:test";

/** Random values that a seed repeats. */
export type Random = {
	/** A whole number from 0 below `limit`. */
	below(limit: number): number;
	pick<T>(values: readonly T[]): T;
	/** True in `percent` of a hundred cases. */
	chance(percent: number): boolean;
};

/**
 * Random values for one test, whose seed the test's report shows. `OUTLIVE_TEST_SEED` repeats a run.
 */
export function seededRandom(test: TestContext): Random {
	const seed = Number(process.env.OUTLIVE_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32));
	test.diagnostic(`OUTLIVE_TEST_SEED=${seed}`);
	return randomFrom(seed);
}

/** The generator is mulberry32: 32 bits of state, good enough for tests. */
export function randomFrom(seed: number): Random {
	let state = seed >>> 0;
	const below = (limit: number) => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
	};
	return {
		below,
		pick: (values) => values[below(values.length)] as (typeof values)[number],
		chance: (percent) => below(100) < percent,
	};
}

const STRINGS = [
	"",
	"a",
	"渐😀é",
	"\u2028",
	"\u2029",
	"\n",
	'"',
	"\\",
	"\u0000",
	"__proto__",
	"{[,",
	"\ud83d",
];

/** Any JSON value, odd ones often. */
export function randomJson(random: Random, depth = 4): unknown {
	const kind = random.below(depth > 0 ? 7 : 5);
	switch (kind) {
		case 0:
			return null;
		case 1:
			return random.chance(50);
		case 2:
			return random.pick([0, -1, 1.5, 1e21, 2 ** 53, random.below(1000)]);
		case 3:
			return random.pick(STRINGS);
		case 4:
			return random.pick(STRINGS).repeat(random.below(40));
		case 5:
			return Array.from({ length: random.below(5) }, () => randomJson(random, depth - 1));
		default:
			return randomObject(random, depth - 1);
	}
}

export function randomObject(random: Random, depth = 4): Record<string, unknown> {
	const entries = Array.from({ length: random.below(5) }, () => [
		random.pick(STRINGS) + random.below(10),
		randomJson(random, depth),
	]);
	return Object.fromEntries(entries);
}

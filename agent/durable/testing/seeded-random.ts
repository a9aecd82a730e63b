/** A source of numbers that a seed repeats. */
export type SeededRandom = {
	/** An integer from 0 to `limit - 1`. */
	below(limit: number): number;
	/** One of these. */
	pick<T>(items: readonly T[]): T;
	/** True once in `n` times. */
	oneIn(n: number): boolean;
};

/** Mulberry32: 32 bits of state, good enough to vary tests. */
export function createSeededRandom(seed: number): SeededRandom {
	let state = seed >>> 0;
	function next(): number {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}
	return {
		below: (limit) => Math.floor(next() * limit),
		pick: (items) => items[Math.floor(next() * items.length)]!,
		oneIn: (n) => next() * n < 1,
	};
}

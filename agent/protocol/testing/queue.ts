const DEADLINE_MS = 10_000;

export type Queue<T> = {
	push(item: T): void;
	/** The next item, waited for. Rejects, naming what was awaited, when it doesn't come within 10 s. */
	next(): Promise<T>;
	/** What came and wasn't taken. */
	readonly waiting: readonly T[];
};

export function createQueue<T>(what: string): Queue<T> {
	const items: T[] = [];
	const takers: ((item: T) => void)[] = [];
	return {
		waiting: items,
		push(item) {
			const taker = takers.shift();
			if (taker === undefined) items.push(item);
			else taker(item);
		},
		next() {
			const [item] = items.splice(0, 1);
			if (item !== undefined) return Promise.resolve(item);
			return new Promise((resolve, reject) => {
				const taker = (next: T) => {
					clearTimeout(deadline);
					resolve(next);
				};
				const deadline = setTimeout(() => {
					takers.splice(takers.indexOf(taker), 1);
					reject(new Error(`${what} was awaited, and none came in ${DEADLINE_MS / 1000} s`));
				}, DEADLINE_MS);
				takers.push(taker);
			});
		},
	};
}

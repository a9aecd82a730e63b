/**
 * Work that is done one after another per key, in the order it was asked for; work for other keys goes on meanwhile. A
 * piece that fails doesn't hold up the next.
 */
export function createInTurn<Key>(): <T>(key: Key, work: () => Promise<T>) => Promise<T> {
	const last = new Map<Key, Promise<unknown>>();
	return (key, work) => {
		const before = last.get(key);
		const mine = before === undefined ? work() : before.then(work);
		const settled = mine
			.catch(() => {
				// Whoever asked for it hears of it.
			})
			.then(() => {
				if (last.get(key) === settled) last.delete(key);
			});
		last.set(key, settled);
		return mine;
	};
}

/**
 * The results of `run` for each item, in order, with up to `ahead` of them under way at once. When the reader stops
 * early or one fails, those under way are waited for, and their results dropped.
 */
export async function* mapAhead<Item, Result>(
	items: AsyncIterable<Item>,
	ahead: number,
	run: (item: Item) => Promise<Result>,
): AsyncGenerator<readonly [Item, Result]> {
	const underWay: { readonly item: Item; readonly result: Promise<Result> }[] = [];
	try {
		for await (const item of items) {
			const result = run(item);
			// Its failure is seen when its turn comes; until then it must not count as unhandled.
			result.catch(() => {});
			underWay.push({ item, result });
			if (underWay.length < ahead) continue;
			const first = underWay.shift()!;
			yield [first.item, await first.result];
		}
		for (let first = underWay.shift(); first !== undefined; first = underWay.shift())
			yield [first.item, await first.result];
	} finally {
		await Promise.allSettled(underWay.map(({ result }) => result));
	}
}

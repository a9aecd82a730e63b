type Row = { readonly key: string };

/**
 * Where each row of a list lies. Heights are px; those that were never measured are guessed. Work is done from the first row that changed on: what streams in at the end of a very
 * long list costs nothing for what is before it.
 */
export function createOffsets<R extends Row>(guess: (row: R) => number) {
	const measured = new Map<string, number>();
	let rows: readonly R[] = [];
	/** `ends[i]` is where row `i` ends. */
	let ends = new Float64Array(64);
	let indexes = new Map<string, number>();
	let version = 0;

	function heightOf(row: R): number {
		return measured.get(row.key) ?? guess(row);
	}

	function layOut(from: number): void {
		if (rows.length > ends.length) {
			const larger = new Float64Array(Math.max(rows.length, ends.length * 2));
			larger.set(ends);
			ends = larger;
		}
		for (let index = from, y = from === 0 ? 0 : ends[from - 1]!; index < rows.length; index++) {
			y += heightOf(rows[index]!);
			ends[index] = y;
		}
		version++;
	}

	function of(index: number): number {
		if (index <= 0 || rows.length === 0) return 0;
		return ends[Math.min(index, rows.length) - 1]!;
	}

	return {
		/** Changes when anything lies elsewhere. */
		get version() {
			return version;
		},
		setRows(next: readonly R[]): void {
			if (next === rows) return;
			const same = commonBeginning(rows, next);
			for (let index = same; index < rows.length; index++) indexes.delete(rows[index]!.key);
			if (same === 0) indexes = new Map();
			for (let index = same; index < next.length; index++) indexes.set(next[index]!.key, index);
			rows = next;
			layOut(same);
		},
		/** @returns whether anything moved */
		measure(heights: Iterable<readonly [key: string, height: number]>): boolean {
			let first = Number.POSITIVE_INFINITY;
			for (const [key, height] of heights) {
				const index = indexes.get(key);
				const row = index === undefined ? undefined : rows[index];
				if (index === undefined || row === undefined || heightOf(row) === height) {
					measured.set(key, height);
					continue;
				}
				measured.set(key, height);
				first = Math.min(first, index);
			}
			if (first === Number.POSITIVE_INFINITY) return false;
			layOut(first);
			return true;
		},
		/** How many rows there are. */
		get count() {
			return rows.length;
		},
		/** The height of all rows together. */
		get total() {
			return of(rows.length);
		},
		/** Where a row begins; `total` for the one past the last. */
		of,
		/** The row at a height; the first or the last one outside of the list. */
		at(y: number): number {
			let low = 0;
			let high = rows.length - 1;
			while (low < high) {
				const middle = (low + high) >>> 1;
				if (ends[middle]! > y) high = middle;
				else low = middle + 1;
			}
			return Math.max(low, 0);
		},
		/** Whether a row's height is known. */
		isMeasured: (index: number): boolean => measured.has(rows[index]?.key ?? ""),
		indexOf: (key: string): number | undefined => indexes.get(key),
	};
}

function commonBeginning(one: readonly Row[], other: readonly Row[]): number {
	const most = Math.min(one.length, other.length);
	let same = 0;
	while (same < most && (one[same] === other[same] || one[same]!.key === other[same]!.key)) same++;
	return same;
}

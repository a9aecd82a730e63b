import type { Cursor, Page } from "../../types/storage.ts";
import { toJsonText } from "../json-text.ts";
import { checkLimit, type ScanPosition, toPage } from "../scan.ts";

/** Records by id. Each is kept as JSON text and parsed for every reader, so that nobody shares one. */
export function createTable<T extends { readonly id: number }>() {
	const rows = new Map<number, { readonly text: string; readonly own: T }>();
	const ids: number[] = [];

	return {
		/** Does the part of a write that can fail; the returned step stores it. */
		prepare(value: T): () => void {
			const text = toJsonText(value);
			return () => {
				if (!rows.has(value.id)) insertSorted(ids, value.id);
				rows.set(value.id, { text, own: JSON.parse(text) as T });
			};
		},

		read(id: number): T | undefined {
			const row = rows.get(id);
			return row === undefined ? undefined : (JSON.parse(row.text) as T);
		},

		/** The table's own copy, to look at only. */
		peek(id: number): T | undefined {
			return rows.get(id)?.own;
		},

		scan(matches: (value: T) => boolean, position: ScanPosition, limit: number): Page<T, Cursor> {
			checkLimit(limit);
			const found: T[] = [];
			for (const id of walk(ids, position)) {
				const row = rows.get(id)!;
				if (matches(row.own)) found.push(JSON.parse(row.text) as T);
				if (found.length > limit) break;
			}
			return toPage(found, limit, position.order);
		},
	};
}

function* walk(ids: readonly number[], { order, after }: ScanPosition): Generator<number> {
	if (order === "ascending") {
		for (let i = after === undefined ? 0 : firstFrom(ids, after + 1); i < ids.length; i++) yield ids[i]!;
	} else {
		for (let i = (after === undefined ? ids.length : firstFrom(ids, after)) - 1; i >= 0; i--) yield ids[i]!;
	}
}

/** The ids of a sorted list between two bounds, in either direction. */
export function* walkBetween(
	ids: readonly number[],
	range: { readonly min: number; readonly max: number; readonly order: ScanPosition["order"] },
): Generator<number> {
	const from = firstFrom(ids, range.min);
	const to = firstFrom(ids, range.max + 1);
	if (range.order === "ascending") for (let i = from; i < to; i++) yield ids[i]!;
	else for (let i = to - 1; i >= from; i--) yield ids[i]!;
}

/** Almost always an append: ids are given out in rising order. */
export function insertSorted(ids: number[], id: number): void {
	if (ids.length === 0 || ids[ids.length - 1]! < id) ids.push(id);
	else ids.splice(firstFrom(ids, id), 0, id);
}

/** The index of the first id that is not below `id`. */
function firstFrom(ids: readonly number[], id: number): number {
	let low = 0;
	let high = ids.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (ids[middle]! < id) low = middle + 1;
		else high = middle;
	}
	return low;
}

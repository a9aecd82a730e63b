import type { Cursor, Page } from "../../types/storage.ts";
import { toJsonText } from "../json-text.ts";
import { checkLimit, type ScanPosition, toPage } from "../scan.ts";
import { type LiveText, parseText, type TextHead, type Texts } from "./texts.ts";

/**
 * Records by id. Kept are where each record's text lies and what is searched by, `keyOf()`; every reader gets a record
 * parsed anew, so that nobody shares one.
 */
export function createTable<T extends { readonly id: number }, Key, Ref>(
	texts: Texts<Ref>,
	head: TextHead,
	keyOf: (value: T) => Key,
) {
	const rows = new Map<number, { readonly ref: Ref; readonly key: Key }>();
	const ids: number[] = [];

	function put(value: T, ref: Ref): void {
		const before = rows.get(value.id);
		if (before === undefined) insertSorted(ids, value.id);
		else texts.drop(before.ref);
		rows.set(value.id, { ref, key: keyOf(value) });
	}

	function parse(ref: Ref): T {
		return parseText<T>(texts.read(ref));
	}

	return {
		/** Does the part of a write that can fail; the returned step stores it. */
		prepare(value: T): () => void {
			const ref = texts.stage(head, toJsonText(value));
			return () => put(value, ref);
		},

		/** Takes in what is stored already. */
		put,

		has(id: number): boolean {
			return rows.has(id);
		},

		read(id: number): T | undefined {
			const row = rows.get(id);
			return row === undefined ? undefined : parse(row.ref);
		},

		/** What the record is searched by. */
		key(id: number): Key | undefined {
			return rows.get(id)?.key;
		},

		/** Every record's newest text. */
		*live(): Generator<LiveText<Ref>> {
			for (const id of ids) yield { head, ref: rows.get(id)!.ref };
		},

		scan(matches: (key: Key) => boolean, position: ScanPosition, limit: number): Page<T, Cursor> {
			checkLimit(limit);
			const found: T[] = [];
			for (const id of walk(ids, position)) {
				const row = rows.get(id)!;
				if (matches(row.key)) found.push(parse(row.ref));
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

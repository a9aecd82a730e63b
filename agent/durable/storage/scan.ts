import type { JsonValue } from "../types/json.ts";
import type { Cursor, Page, ScanOrder } from "../types/storage.ts";

/** Where a scan goes on: its direction, and the id of the last item already given. */
export type ScanPosition = { readonly order: ScanOrder; readonly after: number | undefined };

/**
 * Joins a query's order with its cursor. A cursor keeps the order of the scan that made it; asking it for the other
 * order is a mistake that would skip items, so it is a `RangeError`.
 */
export function scanPosition(
	asked: ScanOrder | undefined,
	byDefault: ScanOrder,
	cursor: Cursor | undefined,
): ScanPosition {
	if (cursor === undefined) return { order: asked ?? byDefault, after: undefined };
	const { order, after } = cursor;
	if (!isOrder(order) || typeof after !== "number")
		throw new RangeError("This cursor is not from this scan; start again without one.");
	if (asked !== undefined && asked !== order)
		throw new RangeError(`This cursor is from a scan in ${order} order; it can't go on in ${asked} order.`);
	return { order, after };
}

function isOrder(value: JsonValue | undefined): value is ScanOrder {
	return value === "ascending" || value === "descending";
}

/** Throws a `RangeError` unless `limit` can be the size of a page. */
export function checkLimit(limit: number): void {
	if (!Number.isSafeInteger(limit) || limit < 1)
		throw new RangeError(`The limit of a page is a whole number from 1 on, not ${limit}.`);
}

/** Cuts what was read, one item more than the page holds if there is one, into a page and its cursor. */
export function toPage<T extends { readonly id: number }>(
	read: readonly T[],
	limit: number,
	order: ScanOrder,
): Page<T, Cursor> {
	if (read.length <= limit) return { items: read };
	const items = read.slice(0, limit);
	return { items, next: { order, after: items[items.length - 1]!.id } };
}

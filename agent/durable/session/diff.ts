import { overlap, RESERVED_SEGMENTS } from "@earendil-works/chord/delta";
import type { Op } from "../types/documents.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

type Path = readonly (string | number)[];
type NonEmptyPath = [string | number, ...Path];
type Plain = { readonly [key: string]: JsonValue };

/** How far back a sliding window of text is searched for the part it shares with its predecessor. */
const OVERLAP_SCAN = 64 * 1024;

/**
 * The operations that turn `before` into `after`: both immutable, `after` sharing with `before` what didn't change, so
 * that the cost is that of the changed paths. The values that the operations place are shared with `after`.
 */
export function diff(before: JsonObject, after: JsonObject): Op[] {
	const ops: Op[] = [];
	diffObject(before, after, [], ops);
	return ops;
}

function diffValue(before: JsonValue, after: JsonValue, path: Path, ops: Op[]): void {
	if (before === after) return;
	if (typeof before === "string" && typeof after === "string") diffText(before, after, path, ops);
	else if (Array.isArray(before) && Array.isArray(after)) diffArray(before, after, path, ops);
	else if (isPlain(before) && isPlain(after)) diffObject(before, after, path, ops);
	else place(path, after, ops);
}

function diffObject(before: Plain, after: Plain, path: Path, ops: Op[]): void {
	// Own properties only: a name like `toString` must not be found on the prototype.
	const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
	const changed = Object.keys(after).filter(
		(key) => !Object.hasOwn(before, key) || after[key] !== before[key],
	);
	// No path may lead through such a name, so the object is replaced as a whole.
	if (removed.some(isReserved) || changed.some(isReserved)) {
		place(path, after, ops);
		return;
	}
	for (const key of removed) ops.push(["d", to(path, key)]);
	for (const key of changed) {
		if (Object.hasOwn(before, key)) diffValue(before[key]!, after[key]!, to(path, key), ops);
		else place(to(path, key), after[key]!, ops);
	}
}

function diffText(before: string, after: string, path: Path, ops: Op[]): void {
	const target = path as NonEmptyPath;
	if (after.startsWith(before)) {
		ops.push(["a", target, after.slice(before.length)]);
		return;
	}
	const shared = overlap(before, after, OVERLAP_SCAN);
	if (shared > 0 && shared * 2 > after.length) {
		ops.push(["t", target, before.length - shared]);
		if (after.length > shared) ops.push(["a", target, after.slice(shared)]);
		return;
	}
	ops.push(["s", target, after]);
}

/**
 * Elements that are still there, in their order, cost nothing. Of the gaps between them, one with as many new elements
 * as old ones is changed in place, any other is spliced; from the back, so that the indices before stay as they were.
 */
function diffArray(before: readonly JsonValue[], after: readonly JsonValue[], path: Path, ops: Op[]): void {
	const shorter = Math.min(before.length, after.length);
	let start = 0;
	while (start < shorter && before[start] === after[start]) start++;
	let end = 0;
	while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
	let beforeEnd = before.length - end;
	let afterEnd = after.length - end;
	const kept = keptElements(before, after, [start, beforeEnd], [start, afterEnd]);
	for (const [i, j] of kept.reverse()) {
		diffGap(before, after, [i + 1, beforeEnd], [j + 1, afterEnd], path, ops);
		beforeEnd = i;
		afterEnd = j;
	}
	diffGap(before, after, [start, beforeEnd], [start, afterEnd], path, ops);
}

type Span = readonly [start: number, end: number];

function diffGap(
	before: readonly JsonValue[],
	after: readonly JsonValue[],
	[start, end]: Span,
	[afterStart, afterEnd]: Span,
	path: Path,
	ops: Op[],
): void {
	const removed = end - start;
	const added = afterEnd - afterStart;
	if (removed === added)
		for (let i = 0; i < removed; i++)
			diffValue(before[start + i]!, after[afterStart + i]!, to(path, start + i), ops);
	else splice(path, start, removed, after.slice(afterStart, afterEnd), ops);
}

/** Places, in both lists and rising in both, of elements within the spans that are the very same. */
function keptElements(
	before: readonly JsonValue[],
	after: readonly JsonValue[],
	[start, end]: Span,
	[afterStart, afterEnd]: Span,
): [before: number, after: number][] {
	const kept: [number, number][] = [];
	const removed = end - start;
	const added = afterEnd - afterStart;
	// Only new ones, only old ones, or one in the place of one other: there is nothing to look for.
	if (removed === 0 || added === 0 || (removed === 1 && added === 1)) return kept;
	const places = new Map<JsonValue, number[]>();
	for (let i = end - 1; i >= start; i--) {
		const known = places.get(before[i]!);
		if (known === undefined) places.set(before[i]!, [i]);
		else known.push(i);
	}
	let last = start - 1;
	for (let j = afterStart; j < afterEnd; j++) {
		const candidates = places.get(after[j]!);
		while (candidates !== undefined && candidates.length > 0 && candidates.at(-1)! <= last) candidates.pop();
		const i = candidates?.pop();
		if (i === undefined) continue;
		kept.push([i, j]);
		last = i;
	}
	return kept;
}

function splice(path: Path, index: number, remove: number, items: JsonValue[], ops: Op[]): void {
	ops.push(["p", path, index, remove, items]);
}

function place(path: Path, value: JsonValue, ops: Op[]): void {
	ops.push(path.length === 0 ? ["r", value] : ["s", path as NonEmptyPath, value]);
}

function to(path: Path, segment: string | number): NonEmptyPath {
	return [...path, segment] as unknown as NonEmptyPath;
}

function isReserved(key: string): boolean {
	return RESERVED_SEGMENTS.has(key);
}

function isPlain(value: JsonValue): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

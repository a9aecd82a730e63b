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

function diffArray(before: readonly JsonValue[], after: readonly JsonValue[], path: Path, ops: Op[]): void {
	const shorter = Math.min(before.length, after.length);
	let start = 0;
	while (start < shorter && before[start] === after[start]) start++;
	let end = 0;
	while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
	const removed = before.length - start - end;
	const added = after.length - start - end;
	if (removed === added) {
		for (let i = start; i < start + removed; i++) diffValue(before[i]!, after[i]!, to(path, i), ops);
		return;
	}
	if (added < removed && diffRemovals(before, after, start, end, path, ops)) return;
	splice(path, start, removed, after.slice(start, start + added), ops);
}

/** Scattered removals, when what is left is exactly the rest in its order. False when it isn't. */
function diffRemovals(
	before: readonly JsonValue[],
	after: readonly JsonValue[],
	start: number,
	end: number,
	path: Path,
	ops: Op[],
): boolean {
	const removals: number[] = [];
	let kept = start;
	for (let i = start; i < before.length - end; i++) {
		if (kept < after.length - end && before[i] === after[kept]) kept++;
		else removals.push(i);
	}
	if (kept !== after.length - end) return false;
	for (const index of removals.reverse()) splice(path, index, 1, [], ops);
	return true;
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

import { overlap } from "@earendil-works/chord/delta";
import type { Op } from "../types/documents.ts";
import type { JsonValue } from "../types/json.ts";
import { copyStrictJson } from "./strict-json.ts";

type Path = (string | number)[];
type Container = { readonly [key: string]: unknown } | readonly unknown[];

/** How far back a sliding window of text is searched for the part it shares with its predecessor. */
const OVERLAP_SCAN = 64 * 1024;

/**
 * The operations that turn `before` into `after`. Both are JSON objects; `after` shares what didn't change with
 * `before`, so the cost is that of the changed paths. Every placed value is a detached strict copy. Throws a
 * `TypeError` naming the place when `after` holds something JSON can't.
 */
export function diff(before: object, after: object): Op[] {
	const ops: Op[] = [];
	diffObject(before as { [key: string]: unknown }, after as { [key: string]: unknown }, [], ops);
	return ops;
}

function diffValue(before: unknown, after: unknown, path: Path, ops: Op[]): void {
	if (before === after) return;
	if (typeof before === "string" && typeof after === "string") {
		diffText(before, after, path, ops);
		return;
	}
	if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
		if (Array.isArray(before)) diffArray(before, after as readonly unknown[], path, ops);
		else diffObject(before as { [key: string]: unknown }, after as { [key: string]: unknown }, path, ops);
		return;
	}
	set(path, after, ops);
}

function diffObject(
	before: { readonly [key: string]: unknown },
	after: { readonly [key: string]: unknown },
	path: Path,
	ops: Op[],
): void {
	for (const key of Object.keys(before)) {
		// A property assigned `undefined` counts as deleted.
		if (after[key] === undefined && before[key] !== undefined) ops.push(["d", at(path, key)]);
	}
	for (const key of Object.keys(after)) {
		const value = after[key];
		if (value === before[key]) continue;
		if (value === undefined) continue;
		if (Object.hasOwn(before, key)) diffValue(before[key], value, [...path, key], ops);
		else set([...path, key], value, ops);
	}
}

function diffText(before: string, after: string, path: Path, ops: Op[]): void {
	const target = path as [string | number, ...Path];
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

function diffArray(before: readonly unknown[], after: readonly unknown[], path: Path, ops: Op[]): void {
	let start = 0;
	while (start < before.length && start < after.length && before[start] === after[start]) start++;
	let end = 0;
	while (
		end < before.length - start &&
		end < after.length - start &&
		before[before.length - 1 - end] === after[after.length - 1 - end]
	)
		end++;
	const removed = before.length - start - end;
	const added = after.length - start - end;
	if (removed === added) {
		for (let i = 0; i < removed; i++)
			diffValue(before[start + i], after[start + i], [...path, start + i], ops);
		return;
	}
	if (added < removed && diffRemovals(before, after, start, end, path, ops)) return;
	splice(path, start, removed, after.slice(start, start + added), ops);
}

/** Scattered removals, when what is left is exactly the rest in its order. False when it isn't. */
function diffRemovals(
	before: readonly unknown[],
	after: readonly unknown[],
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

function splice(path: Path, index: number, remove: number, items: readonly unknown[], ops: Op[]): void {
	ops.push(["p", [...path], index, remove, copyStrictJson(items, name(path)) as JsonValue[]]);
}

function set(path: Path, value: unknown, ops: Op[]): void {
	ops.push(["s", path as [string | number, ...Path], copyStrictJson(value, name(path))]);
}

function at(path: Path, key: string): [string | number, ...Path] {
	return [...path, key] as unknown as [string | number, ...Path];
}

function name(path: Path): string {
	return path.length === 0 ? "value" : path.join(".");
}

function isContainer(value: unknown): value is Container {
	return typeof value === "object" && value !== null;
}

import type { JsonValue } from "../types/json.ts";

/** What a container inside a copied value stands for, when that is known and immutable already. */
type Known = (container: object) => unknown;

/**
 * A detached copy of a value that must be strict JSON: no undefined, non-finite number, bigint, function, symbol,
 * sparse array or object of a class. Throws a `TypeError` that names the place.
 */
export function copyStrictJson(value: unknown, path = "value", known?: Known): JsonValue {
	switch (typeof value) {
		case "string":
		case "boolean":
			return value;
		case "number":
			if (!Number.isFinite(value)) throw new TypeError(`${path} is ${value}, which JSON can't hold`);
			return value;
		case "object":
			if (value === null) return null;
			return (known?.(value) as JsonValue | undefined) ?? copyContainer(value, path, known);
		default:
			throw new TypeError(`${path} is ${typeof value}, which JSON can't hold`);
	}
}

function copyContainer(value: object, path: string, known: Known | undefined): JsonValue {
	return Array.isArray(value) ? copyArray(value, path, known) : copyObject(value, path, known);
}

function copyArray(value: readonly unknown[], path: string, known: Known | undefined): JsonValue[] {
	const copy: JsonValue[] = new Array(value.length);
	for (let i = 0; i < value.length; i++) {
		const item = value[i];
		copy[i] = isAtom(item) ? item : copyStrictJson(item, `${path}[${i}]`, known);
	}
	return copy;
}

function copyObject(value: object, path: string, known: Known | undefined): JsonValue {
	const prototype = Object.getPrototypeOf(value);
	if (prototype !== Object.prototype && prototype !== null)
		throw new TypeError(`${path} is an object of a class, which JSON can't hold`);
	const copy: { [key: string]: JsonValue } = {};
	for (const key of Object.keys(value)) {
		const item = (value as Record<string, unknown>)[key];
		setOwn(copy, key, isAtom(item) ? item : copyStrictJson(item, `${path}.${key}`, known));
	}
	return copy;
}

/** Nothing to copy and nothing to check, so the name of its place need not be made. */
function isAtom(value: unknown): value is string | boolean | null {
	return typeof value === "string" || typeof value === "boolean" || value === null;
}

/**
 * A detached copy as `JSON.stringify` would leave it: undefined properties are dropped, a number that isn't finite is
 * null, `toJSON()` is asked. For values that come typed from pi-ai, whose optional fields may be present and
 * undefined. Throws a `TypeError` for a bigint.
 */
export function copyLooseJson<T>(value: T): T {
	switch (typeof value) {
		case "number":
			return (Number.isFinite(value) ? value : null) as T;
		case "bigint":
			throw new TypeError(`${value} is a bigint, which JSON can't hold`);
		case "object":
			return value === null ? value : (copyLooseObject(value) as T);
		default:
			return value;
	}
}

function copyLooseObject(value: object): unknown {
	if (Array.isArray(value)) return value.map((item) => (isDropped(item) ? null : copyLooseJson(item)));
	if ("toJSON" in value && typeof value.toJSON === "function") return copyLooseJson(value.toJSON());
	const copy: Record<string, unknown> = {};
	for (const key of Object.keys(value)) {
		const item = (value as Record<string, unknown>)[key];
		if (!isDropped(item)) setOwn(copy, key, typeof item === "string" ? item : copyLooseJson(item));
	}
	return copy;
}

function isDropped(value: unknown): boolean {
	return value === undefined || typeof value === "function" || typeof value === "symbol";
}

/** `__proto__` must become an own property, as `JSON.parse` makes it. */
export function setOwn(target: object, key: PropertyKey, value: unknown): void {
	if (key === "__proto__")
		Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
	else (target as Record<PropertyKey, unknown>)[key] = value;
}

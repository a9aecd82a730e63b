import type { JsonValue } from "../types/json.ts";

/**
 * A detached copy of a value that must be strict JSON: no undefined, non-finite number, bigint, function, symbol,
 * sparse array or object of a class. Throws a `TypeError` that names the place.
 */
export function copyStrictJson(value: unknown, path = "value"): JsonValue {
	switch (typeof value) {
		case "string":
		case "boolean":
			return value;
		case "number":
			if (!Number.isFinite(value)) throw new TypeError(`${path} is ${value}, which JSON can't hold`);
			return value;
		case "object":
			if (value === null) return null;
			if (Array.isArray(value)) return copyArray(value, path);
			return copyObject(value, path);
		default:
			throw new TypeError(`${path} is ${typeof value}, which JSON can't hold`);
	}
}

function copyArray(value: readonly unknown[], path: string): JsonValue[] {
	const copy: JsonValue[] = new Array(value.length);
	for (let i = 0; i < value.length; i++) copy[i] = copyStrictJson(value[i], `${path}[${i}]`);
	return copy;
}

function copyObject(value: object, path: string): JsonValue {
	const prototype = Object.getPrototypeOf(value);
	if (prototype !== Object.prototype && prototype !== null)
		throw new TypeError(`${path} is an object of a class, which JSON can't hold`);
	const copy: { [key: string]: JsonValue } = {};
	for (const key of Object.keys(value))
		setOwn(copy, key, copyStrictJson((value as Record<string, unknown>)[key], `${path}.${key}`));
	return copy;
}

/**
 * A detached copy as `JSON.stringify` would leave it: undefined properties are dropped. For values that come typed
 * from pi-ai, whose optional fields may be present and undefined.
 */
export function copyLooseJson<T>(value: T): T {
	if (typeof value !== "object" || value === null) return value;
	if (Array.isArray(value)) return value.map((item) => copyLooseJson(item === undefined ? null : item)) as T;
	const copy: Record<string, unknown> = {};
	for (const [key, item] of Object.entries(value)) {
		if (item === undefined || typeof item === "function" || typeof item === "symbol") continue;
		setOwn(copy, key, copyLooseJson(item));
	}
	return copy as T;
}

/** `__proto__` must become an own property, as `JSON.parse` makes it. */
function setOwn(target: object, key: string, value: unknown): void {
	if (key === "__proto__")
		Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
	else (target as Record<string, unknown>)[key] = value;
}

import type { JsonValue } from "@earendil-works/chord/delta";

export type { JsonValue } from "@earendil-works/chord/delta";

export type JsonObject = { [key: string]: JsonValue };

/** Whether a parsed JSON value is an object, and neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

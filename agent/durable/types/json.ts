import type { JsonValue } from "@earendil-works/chord";

export type { JsonValue } from "@earendil-works/chord";

export type JsonObject = { [key: string]: JsonValue };

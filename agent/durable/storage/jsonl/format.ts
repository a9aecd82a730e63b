import type { JsonValue } from "../../types/json.ts";
import type { TextHead } from "../tables/texts.ts";

/** A line of a batch, as it is stored. */
export type StoredLine = { readonly head: TextHead; readonly value: JsonValue };

/** One step from a format to the next: what a line becomes. Runs while the whole store is written anew. */
export type FormatMigration = {
	readonly from: number;
	readonly up: (line: StoredLine) => readonly StoredLine[];
};

/** The format this version of the library reads and writes, and how older stores come to it. */
export type Format = { readonly version: number; readonly migrations: readonly FormatMigration[] };

export const CURRENT_FORMAT: Format = { version: 1, migrations: [] };

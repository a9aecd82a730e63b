import { statSync } from "node:fs";
import { StorageTooNew } from "../../errors.ts";
import type { OpenDriver, SqliteDriver } from "./driver.ts";
import { APPLICATION_ID, type Schema } from "./schema.ts";

/** What an open file is. */
export type StoreFile =
	| { readonly kind: "new" }
	| { readonly kind: "current" }
	| { readonly kind: "older"; readonly version: number };

/**
 * Refuses a newer store that a crash left with a log, before a connection that may write is opened: on closing, that
 * one would move the log into the file. Without a log such a connection changes nothing.
 */
export function refuseNewer(open: OpenDriver, file: string, schema: Schema): void {
	if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
	try {
		const driver = open(file, "readonly");
		try {
			readStamp(driver, file, schema);
		} finally {
			driver.close();
		}
	} catch (error) {
		if (error instanceof StorageTooNew) throw error;
		// Anything else is met again by the connection that may write, which on a full disk needs less room than this.
	}
}

/** Reads the application id and the schema version of an open file. */
export function readStamp(driver: SqliteDriver, file: string, schema: Schema): StoreFile {
	const application = driver.pragma("application_id");
	if (application !== APPLICATION_ID) {
		const isEmpty = application === 0 && driver.pragma("schema_version") === 0;
		if (isEmpty) return { kind: "new" };
		throw new Error(`${file} is another program's SQLite database; name another file for the store.`);
	}
	const version = Number(driver.pragma("user_version"));
	if (version > schema.version)
		throw new StorageTooNew(
			`The store ${file} was written by a newer version of this program (its format is ${version}, this program knows up to ${schema.version}). Nothing was changed; start the newer version.`,
		);
	return version === schema.version ? { kind: "current" } : { kind: "older", version };
}

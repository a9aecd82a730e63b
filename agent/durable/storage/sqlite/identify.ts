import { statSync } from "node:fs";
import { StorageTooNew } from "../../errors.ts";
import type { OpenDriver, SqliteDriver } from "./driver.ts";
import { APPLICATION_ID, type Schema } from "./schema.ts";
import { damage, isDamage, isHotJournal } from "./sqlite-errors.ts";

/** What a file is, told without changing a byte of it. */
export type StoreFile =
	| { readonly kind: "new" }
	| { readonly kind: "current" }
	| { readonly kind: "older"; readonly version: number };

/**
 * Tells what a file is through a read-only connection: an ordinary one would, when it closes, move the log of a
 * crashed store into its file. Throws `StorageTooNew`, `StorageDamaged`, or an error for another program's database.
 */
export function identify(open: OpenDriver, file: string, schema: Schema): StoreFile {
	if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return { kind: "new" };
	try {
		return stampOf(open, file, "readonly", schema);
	} catch (error) {
		// A process was killed while it turned a new or restored file into one with a log: no version is at stake yet.
		if (isHotJournal(error)) return stampOf(open, file, "existing", schema);
		throw isDamage(error) ? damage(error, file) : error;
	}
}

function stampOf(open: OpenDriver, file: string, mode: "readonly" | "existing", schema: Schema): StoreFile {
	const driver = open(file, mode);
	try {
		return readStamp(driver, file, schema);
	} finally {
		driver.close();
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

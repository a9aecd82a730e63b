import { openBetterSqlite3 } from "./better-sqlite3.ts";
import { openSqliteStorage, type SqliteStorageOptions } from "./open.ts";
import { type RecoveryReport, recover } from "./recover.ts";
import { SCHEMA } from "./schema.ts";
import type { SqliteStorage } from "./storage.ts";

export type { SqliteStorageOptions } from "./open.ts";
export type { RecoveryReport } from "./recover.ts";
export { SqliteStorage } from "./storage.ts";

/** The format that stores are written in, and the newest that can be read: opening a newer one is refused. */
export const STORE_FORMAT = SCHEMA.version;

/**
 * Opens the store in `file` with better-sqlite3, making it when there is none and migrating it when it is older. Until it
 * is closed no other SQLite client gets in, of this process or another.
 *
 * Errors: `StorageTooNew` (nothing changed), `StorageDamaged` (see `recoverDamaged`), `StorageBusy` when another
 * program keeps it locked for longer than `options.waitMs`.
 */
export function openNodeSqliteStorage(file: string, options?: SqliteStorageOptions): Promise<SqliteStorage> {
	return openSqliteStorage(openBetterSqlite3, file, options);
}

/**
 * Sets a damaged store aside under a name with the date, puts the newest good backup in its place, and tells what is
 * missing. The store must not be open in this process, and the caller must own its folder.
 */
export function recoverDamaged(file: string, backupsDir: string): Promise<RecoveryReport> {
	return recover(openBetterSqlite3, file, backupsDir, SCHEMA);
}

/** SQLite stores over any library: what `outlive/durable/storage/sqlite` exports. */
export type { OpenDriver, SqliteDriver, SqliteStatement, SqlValue } from "./driver.ts";
export { openSqliteStorage, type SqliteStorageOptions } from "./open.ts";
export { SqliteStorage } from "./storage.ts";

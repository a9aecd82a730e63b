/**
 * What the storage needs of an SQLite library: synchronous, one connection. Another library follows by implementing
 * this. Errors of SQLite carry its result code by name in `code` ("SQLITE_FULL", "SQLITE_IOERR_FSYNC", …).
 */
export interface SqliteDriver {
	/** Runs one or more statements without parameters. */
	exec(sql: string): void;
	/** Compiles one statement, its values given by position; it stays usable until `close()`. */
	prepare(sql: string): SqliteStatement;
	/**
	 * Runs one PRAGMA and returns the first column of its first row. It is compiled anew each time: some of them act
	 * when they are compiled, not when they run.
	 */
	pragma(text: string): SqlValue | undefined;
	/** Whether a transaction is open. SQLite ends one by itself after some errors. */
	readonly inTransaction: boolean;
	/** Copies the open store, commits of the meantime included, into a new file, giving way to other work. */
	backup(file: string): Promise<void>;
	/** Ends an open transaction without storing it. May be called twice. */
	close(): void;
}

export type SqlValue = string | number | null;

export interface SqliteStatement {
	run(...values: SqlValue[]): { readonly changes: number };
	get<Row>(...values: SqlValue[]): Row | undefined;
	all<Row>(...values: SqlValue[]): Row[];
}

/** Opens a connection; it never waits for a lock by itself unless a `busy_timeout` is set. */
export type OpenDriver = (file: string, mode: "create" | "existing" | "readonly") => SqliteDriver;

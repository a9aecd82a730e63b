import Database from "better-sqlite3";
import type { OpenDriver, SqliteStatement, SqlValue } from "./driver.ts";

/** The driver over better-sqlite3, the one SQLite library this process may load. */
export const openBetterSqlite3: OpenDriver = (file, mode) => {
	const database = new Database(file, {
		readonly: mode === "readonly",
		fileMustExist: mode !== "create",
		timeout: 0,
	});
	return {
		exec(sql) {
			database.exec(sql);
		},
		prepare: (sql) => toStatement(database.prepare<SqlValue[]>(sql)),
		pragma: (text) => database.pragma(text, { simple: true }) as SqlValue | undefined,
		get inTransaction() {
			return database.inTransaction;
		},
		async backup(target) {
			await database.backup(target);
		},
		close() {
			database.close();
		},
	};
};

/** The library's own statement has this shape already; wrapping each call would cost on every commit. */
function toStatement(statement: Database.Statement<SqlValue[]>): SqliteStatement {
	return statement as unknown as SqliteStatement;
}

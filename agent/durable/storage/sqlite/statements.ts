import type { SqliteDriver, SqliteStatement } from "./driver.ts";

/** Compiles a statement at its first use and keeps it. The texts are fixed, so there are only so many. */
export type Sql = (text: string) => SqliteStatement;

export function createSql(driver: SqliteDriver): Sql {
	const compiled = new Map<string, SqliteStatement>();
	return (text) => {
		let statement = compiled.get(text);
		if (statement === undefined) {
			statement = driver.prepare(text);
			compiled.set(text, statement);
		}
		return statement;
	};
}

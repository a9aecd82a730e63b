/**
 * Another program that uses SQLite: opens the file named by its first argument, runs each line it is sent as SQL, and
 * answers "ok" or SQLite's error code.
 */
import { createInterface } from "node:readline";
import { openBetterSqlite3 } from "../sqlite/better-sqlite3.ts";

const driver = openBetterSqlite3(process.argv[2]!, "existing");
for await (const sql of createInterface({ input: process.stdin })) {
	try {
		if (sql.startsWith("SELECT")) driver.prepare(sql).all();
		else driver.exec(sql);
		console.log("ok");
	} catch (error) {
		console.log((error as { code?: string }).code ?? String(error));
	}
}

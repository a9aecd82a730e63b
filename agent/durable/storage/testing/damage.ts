import { closeSync, openSync, writeSync } from "node:fs";
import { openBetterSqlite3 } from "../sqlite/better-sqlite3.ts";

/**
 * Overwrites one page in the middle of a table with 0xFF, as a failing disk might: neither its root nor one of its
 * ends. The store must be closed.
 */
export function overwriteWith0xFF(file: string, table: string): void {
	const driver = openBetterSqlite3(file, "readonly");
	const size = Number(driver.pragma("page_size"));
	const leaves = driver
		.prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path")
		.all<{ pageno: number }>(table);
	driver.close();
	if (leaves.length < 3) throw new Error(`${table} has too few pages to have a middle`);
	const page = leaves[leaves.length >> 1]!.pageno;
	const handle = openSync(file, "r+");
	writeSync(handle, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
	closeSync(handle);
}

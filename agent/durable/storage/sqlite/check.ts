import { StorageDamaged } from "../../errors.ts";
import type { SqliteDriver } from "./driver.ts";
import { damage, isDamage } from "./sqlite-errors.ts";

/**
 * Looks for damage in an open store, within bounds: `quick_check` reads every page, at some 3.5 ms per MiB, so it
 * runs only up to `fullCheckBytes`. A larger store has its schema and both ends of every table read; damage deeper
 * inside shows, also as `StorageDamaged`, when it is met. Throws `StorageDamaged`.
 */
export function checkStore(
	driver: SqliteDriver,
	tables: readonly string[],
	fullCheckBytes: number,
	file: string,
): void {
	try {
		checkTables(driver, tables, file);
		if (byteSize(driver) <= fullCheckBytes) checkEveryPage(driver, file);
		else for (const table of tables) readEnds(driver, table);
	} catch (error) {
		throw isDamage(error) ? damage(error, file) : error;
	}
}

function checkTables(driver: SqliteDriver, tables: readonly string[], file: string): void {
	const rows = driver.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all<{ name: string }>();
	const present = new Set(rows.map((row) => row.name));
	const missing = tables.filter((table) => !present.has(table));
	if (missing.length > 0)
		throw new StorageDamaged(
			`The store ${file} is damaged: its table ${missing.join(", ")} is missing. Restore it from a backup.`,
		);
}

/** Reads every page. Throws `StorageDamaged` with the first thing that is wrong. */
export function checkEveryPage(driver: SqliteDriver, file: string): void {
	const answer = driver.pragma("quick_check(1)");
	if (answer === "ok") return;
	const what = String(answer).replace(/^\*{3}.*\*{3}\n/, "");
	throw new StorageDamaged(`The store ${file} is damaged (${what}). Restore it from a backup.`);
}

function readEnds(driver: SqliteDriver, table: string): void {
	driver.prepare(`SELECT * FROM ${table} ORDER BY 1 LIMIT 1`).get();
	driver.prepare(`SELECT * FROM ${table} ORDER BY 1 DESC LIMIT 1`).get();
}

function byteSize(driver: SqliteDriver): number {
	return Number(driver.pragma("page_count")) * Number(driver.pragma("page_size"));
}

import { rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { backupName, finishBackup, listBackups, prepareBackupsFolder, toSingleFile } from "./backup-files.ts";
import type { OpenDriver, SqliteDriver } from "./driver.ts";
import { damage, isDamage } from "./sqlite-errors.ts";

/**
 * Copies an open store into `backupsDir`, a stretch at a time between other work, reads the whole copy once, and only
 * then lets it count and removes periodic copies beyond the newest `keep`. Returns the copy's path. A copy that can't
 * be read throws `StorageDamaged` and removes nothing: the store it was made from is damaged.
 */
export async function backUp(
	driver: SqliteDriver,
	open: OpenDriver,
	backupsDir: string,
	keep: number,
): Promise<string> {
	if (!Number.isSafeInteger(keep) || keep < 1)
		throw new RangeError(`At least one backup is kept; ${keep} is not a number of backups.`);
	prepareBackupsFolder(backupsDir);
	const backup = join(backupsDir, backupName(Date.now()));
	const partial = `${backup}.partial`;
	try {
		await driver.backup(partial);
		await readWholeCopy(open, partial);
		toSingleFile(open, partial);
		finishBackup(partial, backup);
	} catch (error) {
		for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(partial + suffix, { force: true });
		throw isDamage(error) ? damage(error) : error;
	}
	const periodic = listBackups(backupsDir).filter((file) => file.isPeriodic);
	for (const old of periodic.slice(keep)) rmSync(old.path, { force: true });
	return backup;
}

/** Rows read in one go, so that a step stays short. */
const STEP = 64;

const TABLES = [
	["conversations", "id", "record"],
	["entries", "id", "record"],
	["tasks", "id", "record"],
	["submissions", "id", "record"],
	["documents", "id", "record"],
	["document_contents", "document_id, seq", "content"],
] as const;

/** Reads and checks every record of a copy, giving way after each step. */
async function readWholeCopy(open: OpenDriver, file: string): Promise<void> {
	const driver = open(file, "existing");
	try {
		driver.pragma("locking_mode = EXCLUSIVE");
		for (const [table, key, json] of TABLES) await readTable(driver, table, key, json);
	} finally {
		driver.close();
	}
}

async function readTable(driver: SqliteDriver, table: string, key: string, json: string): Promise<void> {
	const columns = key.split(", ");
	const marks = columns.map(() => "?").join(", ");
	const step = driver.prepare(
		`SELECT ${key}, json_valid(${json}) AS valid FROM ${table} WHERE (${key}) > (${marks}) ORDER BY ${key} LIMIT ${STEP}`,
	);
	let after = columns.map(() => 0);
	for (;;) {
		const rows = step.all<Record<string, number>>(...after);
		for (const row of rows)
			if (row.valid !== 1) throw damage(new Error(`a record of ${table} is not what was stored`));
		const last = rows.at(-1);
		if (last === undefined || rows.length < STEP) return;
		after = columns.map((column) => last[column]!);
		await nextTurn();
	}
}

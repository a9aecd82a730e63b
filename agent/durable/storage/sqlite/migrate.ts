import { join } from "node:path";
import { backupName, finishBackup, prepareBackupsFolder, toSingleFile } from "./backup-files.ts";
import type { OpenDriver, SqliteDriver } from "./driver.ts";
import { readStamp } from "./identify.ts";
import type { Schema } from "./schema.ts";
import type { Migration } from "./schema-migrations.ts";
import { text } from "./sqlite-errors.ts";
import { createSql } from "./statements.ts";
import { createTransactions } from "./transaction.ts";

/**
 * Brings an older store to this version: first a copy of it, made by SQLite, into `backupsDir`; then every step in
 * one transaction that is on the disk when this returns. When it throws, the store is as it was.
 */
export function migrate(open: OpenDriver, file: string, schema: Schema, backupsDir: string): void {
	const driver = open(file, "existing");
	try {
		// Nobody else may write between the copy and the migration.
		driver.pragma("locking_mode = EXCLUSIVE");
		const sql = createSql(driver);
		const transactions = createTransactions(driver, sql);
		transactions.run(() => sql("SELECT 1").get());
		const found = readStamp(driver, file, schema);
		if (found.kind !== "older") return;
		const steps = path(found.version, schema);
		const backup = copyBefore(open, driver, backupsDir, schema.version);
		try {
			transactions.runDurably(() => {
				for (const step of steps) step.up(driver);
				driver.pragma(`user_version = ${schema.version}`);
			});
		} catch (error) {
			throw new Error(
				`The store ${file} could not be brought from format ${found.version} to ${schema.version} (${text(error)}). It is unchanged, and a copy of it is ${backup}.`,
				{ cause: error },
			);
		}
	} finally {
		driver.close();
	}
}

function path(version: number, schema: Schema): Migration[] {
	const steps: Migration[] = [];
	for (let at = version; at < schema.version; at++) {
		const step = schema.migrations.find((migration) => migration.from === at);
		if (step === undefined)
			throw new Error(
				`The store has format ${version}, which is too old for this program (it knows no way from ${at} to ${at + 1}). Nothing was changed; open it once with an earlier version.`,
			);
		steps.push(step);
	}
	return steps;
}

function copyBefore(open: OpenDriver, driver: SqliteDriver, backupsDir: string, version: number): string {
	prepareBackupsFolder(backupsDir);
	const backup = join(backupsDir, backupName(Date.now(), `before-v${version}`));
	const partial = `${backup}.partial`;
	driver.prepare("VACUUM INTO ?").run(partial);
	toSingleFile(open, partial);
	finishBackup(partial, backup);
	return backup;
}

import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type BackupFile, fileTime, listBackups, syncFile, syncFolder } from "./backup-files.ts";
import { checkEveryPage } from "./check.ts";
import type { OpenDriver } from "./driver.ts";
import { readStamp } from "./identify.ts";
import type { Schema } from "./schema.ts";
import { clearSuspicion } from "./suspicion.ts";

/** What a recovery did, for telling the person. */
export type RecoveryReport = {
	/** Where the damaged store lies now (its log, if it had one, beside it as `…-wal`). */
	readonly setAside: string | undefined;
	/** The backup now in its place; undefined when no good one was found and the store starts empty. */
	readonly restoredFrom: string | undefined;
	/** Everything stored between these two times (ms since the epoch) may be missing. */
	readonly missing: { readonly since: number | undefined; readonly until: number | undefined };
};

/**
 * Sets a damaged store aside and puts the newest good backup in its place. The store must not be open, and the caller
 * must own its folder. A crash in between is made good by the next opening.
 */
export async function recover(
	open: OpenDriver,
	file: string,
	backupsDir: string,
	schema: Schema,
): Promise<RecoveryReport> {
	const good = listBackups(backupsDir).find((backup) => isGood(open, backup, schema));
	const until = lastWrite(file);
	if (good !== undefined) await stageRestore(open, good.path, file);
	const setAside = replaceStore(file);
	return { setAside, restoredFrom: good?.path, missing: { since: good?.takenAt, until } };
}

function isGood(open: OpenDriver, backup: BackupFile, schema: Schema): boolean {
	try {
		const driver = open(backup.path, "readonly");
		try {
			if (readStamp(driver, backup.path, schema).kind === "new") return false;
			checkEveryPage(driver, backup.path);
			return true;
		} finally {
			driver.close();
		}
	} catch {
		// Whatever is wrong with this copy, an older one may be good.
		return false;
	}
}

/** Makes the replacement whole and safe on the disk before anything is moved. */
async function stageRestore(open: OpenDriver, backup: string, file: string): Promise<void> {
	const partial = `${file}.restoring`;
	rmSync(partial, { force: true });
	const driver = open(backup, "readonly");
	try {
		await driver.backup(partial);
	} finally {
		driver.close();
	}
	syncFile(partial);
	renameSync(partial, restored(file));
	syncFolder(dirname(file));
}

/** Does the last part of a recovery that a crash cut off. Call before opening. */
export function finishRecovery(file: string): void {
	if (existsSync(restored(file))) replaceStore(file);
}

/**
 * Moves the damaged store away and the staged one, if any, to its place. The log goes first: left beside another
 * file, SQLite would take it for that file's.
 */
function replaceStore(file: string): string | undefined {
	const aside = `${file}.damaged-${fileTime(Date.now())}`;
	if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`);
	rmSync(`${file}-shm`, { force: true });
	clearSuspicion(file);
	const isThere = existsSync(file);
	if (isThere) renameSync(file, aside);
	if (existsSync(restored(file))) renameSync(restored(file), file);
	syncFolder(dirname(file));
	return isThere ? aside : undefined;
}

function restored(file: string): string {
	return `${file}.restored`;
}

function lastWrite(file: string): number | undefined {
	const times = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs);
	return times.reduce((a, b) => (a === undefined || (b !== undefined && b > a) ? b : a));
}

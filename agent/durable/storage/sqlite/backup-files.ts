import {
	chmodSync,
	closeSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readdirSync,
	renameSync,
	rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { OpenDriver } from "./driver.ts";

/** A finished copy of a store. */
export type BackupFile = {
	readonly path: string;
	/** When it was begun, in ms since the epoch: nothing later is in it for certain. */
	readonly takenAt: number;
	/** Made by the clock, not before a migration: only these are rotated. */
	readonly isPeriodic: boolean;
};

const NAME = /^outlive-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z(?:-before-v\d+)?\.sqlite$/;

/** The name of a copy begun at `takenAt` (ms since the epoch); the time is read back from it. */
export function backupName(takenAt: number, why?: `before-v${number}`): string {
	return `outlive-${fileTime(takenAt)}${why === undefined ? "" : `-${why}`}.sqlite`;
}

/** A time as part of a file's name, sortable and in UTC: "2026-01-31T09-15-02-123Z". */
export function fileTime(time: number): string {
	return new Date(time).toISOString().replaceAll(/[:.]/g, "-");
}

/** The finished copies in a folder, newest first; none when there is no such folder. */
export function listBackups(backupsDir: string): BackupFile[] {
	return namesIn(backupsDir)
		.flatMap((name) => {
			const [, date, hours, minutes, seconds, ms] = NAME.exec(name) ?? [];
			if (date === undefined) return [];
			const takenAt = Date.parse(`${date}T${hours}:${minutes}:${seconds}.${ms}Z`);
			return [{ path: join(backupsDir, name), takenAt, isPeriodic: !name.includes("-before-") }];
		})
		.sort((a, b) => b.takenAt - a.takenAt);
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch (error) {
		// No folder: no backup has been made yet.
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
		throw error;
	}
}

/** Makes the folder and clears what an interrupted copy left in it. */
export function prepareBackupsFolder(backupsDir: string): void {
	mkdirSync(backupsDir, { recursive: true, mode: 0o700 });
	for (const name of namesIn(backupsDir))
		if (/\.sqlite\.partial(-journal|-wal|-shm)?$/.test(name)) rmSync(join(backupsDir, name), { force: true });
}

/** Turns a copy into one file without a log, which can be read without leaving anything beside it. */
export function toSingleFile(open: OpenDriver, copy: string): void {
	const driver = open(copy, "existing");
	try {
		driver.pragma("locking_mode = EXCLUSIVE");
		driver.pragma("journal_mode = DELETE");
	} finally {
		driver.close();
	}
}

/** Makes a complete copy count: onto the disk first, then under its name. */
export function finishBackup(partial: string, backup: string): void {
	chmodSync(partial, 0o600);
	syncFile(partial);
	renameSync(partial, backup);
	syncFolder(dirname(backup));
}

/** Never for a file that SQLite has open in this process: closing it would drop SQLite's locks. */
export function syncFile(path: string): void {
	const file = openSync(path, "r+");
	try {
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
}

/** Puts the names in a folder onto the disk, where the file system can do that. */
export function syncFolder(path: string): void {
	const folder = openSync(path, "r");
	try {
		fsyncSync(folder);
	} catch (error) {
		// Some file systems can't flush a folder: then a name reaches the disk in the system's own time.
		const { code } = error as NodeJS.ErrnoException;
		if (code !== "EINVAL" && code !== "ENOTSUP") throw error;
	} finally {
		closeSync(folder);
	}
}

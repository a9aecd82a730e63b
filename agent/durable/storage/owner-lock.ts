import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StorageOwned } from "../errors.ts";
import { openBetterSqlite3 } from "./sqlite/better-sqlite3.ts";
import type { SqliteDriver } from "./sqlite/driver.ts";
import { isBusy, isDamage } from "./sqlite/sqlite-errors.ts";

/** The lock on a data directory, held until `release()` or the end of the process, however it comes. */
export type OwnerLock = {
	/** Lets the directory go. The last thing an owner does. */
	release(): void;
};

export type OwnerLockOptions<Identity> = {
	/** How long to wait for an owner to go, in ms. 0 tries once. */
	readonly waitMs: number;
	/** Whether the process that wrote this identity is certainly still the same and alive. */
	readonly isAlive: (identity: Identity) => boolean | Promise<boolean>;
};

/** What `owner.json` says of the owner: its identity, and since when (ms since the epoch). The lock alone decides. */
type OwnerNote<Identity> = Identity & { readonly startedAt: number };

const RETRY_MS = 50;

/** Kept here so that a lock nobody refers to isn't collected, which would free it. */
const held = new Set<SqliteDriver>();

/**
 * Makes this process the one owner of a data directory. The lock is an SQLite transaction on `owner.lock` that never
 * ends: the kernel frees it when the process dies, also when it was stopped. Nothing may open that file by other
 * means in this process, since closing it again would silently drop the lock.
 *
 * `identity` (with the pid) is written to `owner.json` for others to name. Throws `StorageOwned` when another process
 * is the owner for longer than `waitMs`; it names a pid only when `isAlive` vouches for it.
 */
export async function acquireOwner<Identity extends { readonly pid: number }>(
	dataDirectory: string,
	identity: Identity,
	{ waitMs, isAlive }: OwnerLockOptions<Identity>,
): Promise<OwnerLock> {
	const deadline = performance.now() + waitMs;
	for (;;) {
		const driver = tryLock(join(dataDirectory, "owner.lock"));
		if (driver !== undefined) {
			held.add(driver);
			writeNote(dataDirectory, { ...identity, startedAt: Date.now() });
			return { release: () => release(driver, dataDirectory) };
		}
		if (performance.now() >= deadline) throw await owned(dataDirectory, isAlive);
		await sleep(RETRY_MS);
	}
}

/**
 * Who owns a data directory, as `owner.json` says: only when `isAlive` vouches for it, since the file may be an earlier
 * owner's.
 */
export async function ownerOf<Identity extends { readonly pid: number }>(
	dataDirectory: string,
	isAlive: OwnerLockOptions<Identity>["isAlive"],
): Promise<Identity | undefined> {
	const note = readNote<Identity>(dataDirectory);
	return note !== undefined && (await isAlive(note)) ? note : undefined;
}

function tryLock(file: string): SqliteDriver | undefined {
	const driver = openBetterSqlite3(file, "create");
	try {
		// No journal file: the lock touches no other file, and leaves none when its holder is killed.
		driver.pragma("journal_mode = MEMORY");
		driver.exec("BEGIN EXCLUSIVE");
		return driver;
	} catch (error) {
		driver.close();
		if (isBusy(error)) return undefined;
		if (isDamage(error))
			throw new Error(`${file} is not a lock file. Delete it when no agent is running, and start again.`, {
				cause: error,
			});
		throw error;
	}
}

function release(driver: SqliteDriver, dataDirectory: string): void {
	if (!held.delete(driver)) return;
	rmSync(notePath(dataDirectory), { force: true });
	driver.close();
}

function notePath(dataDirectory: string): string {
	return join(dataDirectory, "owner.json");
}

function writeNote<Identity>(dataDirectory: string, note: OwnerNote<Identity>): void {
	const path = notePath(dataDirectory);
	const partial = `${path}.partial`;
	try {
		writeFileSync(partial, `${JSON.stringify(note)}\n`, { mode: 0o600 });
		renameSync(partial, path);
	} catch {
		// On a full disk an owner stays nameless, but it is the owner. What an earlier one left is not taken for it,
		// since that one's identity is no longer alive.
		rmSync(partial, { force: true });
	}
}

async function owned<Identity extends { readonly pid: number }>(
	dataDirectory: string,
	isAlive: OwnerLockOptions<Identity>["isAlive"],
): Promise<StorageOwned> {
	const pid = (await ownerOf<Identity>(dataDirectory, isAlive))?.pid;
	const who = pid === undefined ? "Another process" : `Process ${pid}`;
	return new StorageOwned(
		`${who} is using the data directory ${dataDirectory}. Use that one, or end it and try again.`,
		pid,
	);
}

function readNote<Identity extends { readonly pid: number }>(
	dataDirectory: string,
): OwnerNote<Identity> | undefined {
	try {
		const note = JSON.parse(readFileSync(notePath(dataDirectory), "utf8")) as OwnerNote<Identity>;
		return Number.isSafeInteger(note?.pid) ? note : undefined;
	} catch {
		// Missing, unreadable or not ours: then the owner has no name.
		return undefined;
	}
}

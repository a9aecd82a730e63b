import { chmodSync, existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StorageBusy } from "../../errors.ts";
import { checkStore } from "./check.ts";
import type { OpenDriver, SqliteDriver } from "./driver.ts";
import { readStamp, refuseNewer } from "./identify.ts";
import { findLockHolders } from "./lock-holder.ts";
import { migrate } from "./migrate.ts";
import { finishRecovery } from "./recover.ts";
import { APPLICATION_ID, SCHEMA, type Schema } from "./schema.ts";
import { damage, isBusy, isDamage, text } from "./sqlite-errors.ts";
import { createSql } from "./statements.ts";
import { SqliteStorage } from "./storage.ts";
import { clearSuspicion, isSuspect, markSuspect } from "./suspicion.ts";
import { createTransactions } from "./transaction.ts";

export type SqliteStorageOptions = {
	/**
	 * Locks every other SQLite client out for as long as the store is open, readers too. Default true: two harnesses on
	 * one store would each take up the other's work. With false that is for the caller to prevent.
	 */
	readonly exclusive?: boolean;
	/** How long to wait for another program that has the store locked, in ms. Default 20,000. */
	readonly waitMs?: number;
	/** Where the copy made before a migration goes. Default: `backups` beside the store. */
	readonly backupsDir?: string;
	/** Up to which size a store is read whole in search of damage when it is opened. Default 8 MiB. */
	readonly fullCheckBytes?: number;
	/** For tests of migrations. */
	readonly schema?: Schema;
};

const RETRY_MS = 50;
/** Reading a store whole takes some 3.5 ms per MiB, and every start waits for it. */
const FULL_CHECK_BYTES = 8 * 1024 * 1024;
/** In shared mode, how long one statement may wait (and block the process) for another program's lock, in ms. */
const BUSY_TIMEOUT_MS = 5_000;
/** Pages kept in memory, in KiB: bounded, so that memory doesn't grow with the store. */
const CACHE_KIB = 4_096;
/** A log that one huge commit has blown up is cut back to this, in bytes. */
const LOG_LIMIT = 16 * 1024 * 1024;

/**
 * Opens a store, making it when there is none, and migrating it when it is older.
 *
 * Errors: `StorageTooNew` (nothing changed), `StorageDamaged`, `StorageBusy` when another program keeps it locked for
 * longer than `waitMs`, and a plain error for a file that is not a store or a folder that is missing.
 */
export async function openSqliteStorage(
	open: OpenDriver,
	file: string,
	options: SqliteStorageOptions = {},
): Promise<SqliteStorage> {
	if (!existsSync(dirname(file)))
		throw new Error(`The folder ${dirname(file)} for the store does not exist; make it first.`);
	const deadline = performance.now() + (options.waitMs ?? 20_000);
	for (;;) {
		try {
			return openOnce(open, file, options);
		} catch (error) {
			if (!isBusy(error)) throw error;
			if (performance.now() >= deadline) throw await busy(file, error);
		}
		await sleep(RETRY_MS);
	}
}

function openOnce(open: OpenDriver, file: string, options: SqliteStorageOptions): SqliteStorage {
	const { exclusive = true, schema = SCHEMA } = options;
	finishRecovery(file);
	refuseNewer(open, file, schema);
	const driver = connect(open, file);
	try {
		if (exclusive) driver.pragma("locking_mode = EXCLUSIVE");
		const found = readStamp(driver, file, schema);
		if (found.kind === "older") {
			driver.close();
			migrate(open, file, schema, options.backupsDir ?? join(dirname(file), "backups"));
			return openOnce(open, file, options);
		}
		// Before the log is made, which takes over the file's mode.
		if (found.kind === "new") chmodSync(file, 0o600);
		configure(driver, file, exclusive);
		if (found.kind === "new") create(driver, file, schema);
		const limit = isSuspect(file) ? Number.POSITIVE_INFINITY : (options.fullCheckBytes ?? FULL_CHECK_BYTES);
		checkStore(driver, schema.tables, limit, file);
		clearSuspicion(file);
		return new SqliteStorage(driver, open, () => markSuspect(file));
	} catch (error) {
		driver.close();
		throw isDamage(error) ? damage(error, file) : error;
	}
}

function connect(open: OpenDriver, file: string): SqliteDriver {
	try {
		return open(file, "create");
	} catch (error) {
		throw new Error(
			`The store ${file} can't be opened (${text(error)}). Check that it is a file you may read and write, and that you may write to its folder.`,
			{ cause: error },
		);
	}
}

function configure(driver: SqliteDriver, file: string, exclusive: boolean): void {
	if (driver.pragma("journal_mode = WAL") !== "wal")
		throw new Error(
			`The store ${file} lies where SQLite can keep no log beside it (a network folder, perhaps). Move it to a local disk.`,
		);
	// In exclusive mode nobody can be using the shared index of the log any more; one that is there is left over.
	if (exclusive) rmSync(`${file}-shm`, { force: true });
	else driver.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
	driver.pragma("synchronous = NORMAL");
	// On macOS a plain fsync leaves the data in the drive's own cache; elsewhere these two change nothing.
	driver.pragma("fullfsync = ON");
	driver.pragma("checkpoint_fullfsync = ON");
	driver.pragma(`cache_size = -${CACHE_KIB}`);
	driver.pragma(`journal_size_limit = ${LOG_LIMIT}`);
	driver.pragma("cell_size_check = ON");
	driver.pragma("trusted_schema = OFF");
}

function create(driver: SqliteDriver, file: string, schema: Schema): void {
	createTransactions(driver, createSql(driver)).runDurably(() => {
		// Another process may have been faster.
		if (readStamp(driver, file, schema).kind !== "new") return;
		driver.exec(schema.create);
		driver.pragma(`application_id = ${APPLICATION_ID}`);
		driver.pragma(`user_version = ${schema.version}`);
	});
}

async function busy(file: string, cause: unknown): Promise<StorageBusy> {
	const holders = await findLockHolders(file);
	const names = holders.map(({ pid, command }) => `${command} (process ${pid})`).join(", ");
	return new StorageBusy(
		holders.length === 0
			? `The store ${file} is locked by another program, or already open in this one. Close whatever has it open, then try again.`
			: `The store ${file} is locked by ${names}. End it, then try again.`,
		{ cause },
	);
}

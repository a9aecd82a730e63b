import type { SqliteDriver } from "./driver.ts";
import { isBusy, isFull, refusal, uncertain } from "./sqlite-errors.ts";
import type { Sql } from "./statements.ts";

export type Transactions = {
	/**
	 * Runs `work` in one transaction. Everything that fails before COMMIT was surely rolled back and throws
	 * `StorageRejected` (`StorageFull` when there was no room). A failure of COMMIT itself throws a plain error: what
	 * was stored is then unknown, and the connection must not be used again.
	 */
	run<T>(work: () => T): T;
	/** The same, and on the disk when it returns, with every transaction before it. */
	runDurably<T>(work: () => T): T;
};

export function createTransactions(driver: SqliteDriver, sql: Sql): Transactions {
	function rollBack(cause: unknown): void {
		if (!driver.inTransaction) return;
		try {
			sql("ROLLBACK").run();
		} catch (error) {
			throw uncertain(new AggregateError([cause, error], "the transaction could not be rolled back"));
		}
	}

	function run<T>(work: () => T): T {
		let result: T;
		try {
			sql("BEGIN IMMEDIATE").run();
			result = work();
		} catch (error) {
			rollBack(error);
			throw refusal(error);
		}
		try {
			sql("COMMIT").run();
		} catch (error) {
			rollBack(error);
			// With these two SQLite has written no commit mark, so the rollback leaves nothing behind.
			throw isFull(error) || isBusy(error) ? refusal(error) : uncertain(error);
		}
		return result;
	}

	return {
		run,
		runDurably(work) {
			// In WAL mode a FULL commit flushes the whole log, and so every NORMAL commit before it. The setting acts on
			// transactions that begin after it.
			driver.pragma("synchronous = FULL");
			try {
				return run(work);
			} finally {
				if (!driver.inTransaction) driver.pragma("synchronous = NORMAL");
			}
		},
	};
}

import { createJoinedFlush } from "../joined-flush.ts";
import type { Sql } from "./statements.ts";
import type { Transactions } from "./transaction.ts";

export type Flush = {
	/** A transaction was stored that a power cut could still undo. */
	markDirty(): void;
	/** Flushes once for all requests of one tick; resolves at once when there is nothing to flush. */
	request(): Promise<void>;
	/** Does now what is still to come. */
	settle(): void;
};

/**
 * Makes earlier commits survive a power cut: a tiny transaction that SQLite flushes takes the whole log before it
 * along. It runs inside `guard`, which refuses when the store can't be used any more and hears of failures.
 */
export function createFlush(sql: Sql, transactions: Transactions, guard: (work: () => void) => void): Flush {
	let isDirty = false;
	function flushNow(): void {
		if (!isDirty) return;
		const count = sql("UPDATE meta SET value = value + 1 WHERE name = 'flushes'");
		transactions.runDurably(() => count.run());
		isDirty = false;
	}

	const shared = createJoinedFlush(() => guard(flushNow));

	return {
		markDirty() {
			isDirty = true;
		},
		request: () => (isDirty ? shared.request() : Promise.resolve()),
		settle: shared.settle,
	};
}

import type { Sql } from "./statements.ts";
import type { Transactions } from "./transaction.ts";

/** How many numbers one reservation covers. What a killed process had left of them is never used. */
const BLOCK = 4096;

export type Numbers = {
	/** The next number nobody has. Call it outside a transaction: it may have to reserve. */
	take(): number;
	/** Whether the number was given out, in this process or an earlier one. */
	isTaken(number: number): boolean;
	/** Gives back what was reserved and not used, so that an orderly close leaves no gap. */
	giveBack(): void;
};

/**
 * The one line of numbers that ids and commits are drawn from. A block is reserved on the disk before its first
 * number is given out, so that neither a crash nor a power cut brings a number back that something outside the store
 * (a folder named after a task, a client) may still know.
 */
export function createNumbers(sql: Sql, transactions: Transactions): Numbers {
	let next = sql("SELECT value FROM meta WHERE name = 'next_number'").get<{ value: number }>()!.value;
	let end = next;

	function reserve(): void {
		const update = sql("UPDATE meta SET value = value + ? WHERE name = 'next_number' RETURNING value");
		const reserved = transactions.runDurably(() => update.get<{ value: number }>(BLOCK)!.value);
		end = reserved;
		next = reserved - BLOCK;
	}

	return {
		take() {
			if (next === end) reserve();
			return next++;
		},
		isTaken: (number) => number < next,
		giveBack() {
			if (next === end) return;
			const update = sql("UPDATE meta SET value = ? WHERE name = 'next_number' AND value = ?");
			transactions.run(() => update.run(next, end));
			end = next;
		},
	};
}

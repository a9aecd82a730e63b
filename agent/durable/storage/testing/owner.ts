/**
 * Another agent: takes the lock of the data directory named by its first argument, waiting as many ms as the second
 * says, and prints "owner" or the error as JSON. It holds the lock until its input ends.
 */
import { once } from "node:events";
import { StorageOwned } from "../../errors.ts";
import { acquireOwner } from "../owner-lock.ts";

const [, , folder, waitMs] = process.argv;
try {
	await acquireOwner(folder!, { pid: process.pid }, { waitMs: Number(waitMs), isAlive });
	console.log("owner");
	process.stdin.resume();
	await once(process.stdin, "end");
} catch (error) {
	const { name, message } = error as Error;
	console.log(JSON.stringify({ name, message, pid: error instanceof StorageOwned ? error.pid : null }));
}

/** Enough for these tests, whose pids aren't reused: whether such a process exists. */
function isAlive({ pid }: { pid: number }): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		// ESRCH: it doesn't exist.
		return false;
	}
}

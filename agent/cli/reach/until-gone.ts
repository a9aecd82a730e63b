import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Link } from "./link.ts";

/** An agent that is told to end has finished or cut its phases by then. */
const MOST_WAIT_MS = 20_000;
const LOOK_MS = 25;

/**
 * Waits for the end of an agent that was told to end, so that what comes next finds its data directory free.
 *
 * @returns whether it ended in time
 */
export async function untilGone(link: Link, pid: number): Promise<boolean> {
	const deadline = performance.now() + MOST_WAIT_MS;
	// As long as it answers, it lives; its process may be in a namespace that can't be looked into.
	while (link.client.state.kind === "connected" || isAlive(pid)) {
		if (performance.now() > deadline) return false;
		await pause(LOOK_MS);
	}
	return true;
}

/** Whether a process is there and more than an entry that nobody has collected. */
function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
	} catch {
		// Not Linux, or it has just gone: the signal has said what can be said.
		return true;
	}
}

import type { Context } from "@earendil-works/chord";
import type { Clock } from "../../clock.ts";
import type { ProcessIdentity } from "../process-identity.ts";
import type { ProcessSource } from "../processes/process-source.ts";
import { endMarker, findEndMarker } from "./end-marker.ts";
import { pause } from "./pause.ts";
import { readRunner } from "./run-directory.ts";
import { openSpool } from "./spool.ts";
import type { LocatedRun } from "./state.ts";

const LONGEST_PAUSE_MS = 50;
/** A look at all processes is only worth it when the marker is late. */
const LATE_MS = 16;

export type OutputWait = {
	readonly source: ProcessSource;
	readonly clock: Clock;
	/** How long after the recorded exit the end is waited for. */
	readonly completeWithinMs: number;
};

/**
 * The output is complete when the end marker is there, or the relay is gone, or a second has passed. Returns how many
 * bytes it has.
 */
export async function endOfOutput(
	run: LocatedRun,
	{ source, clock, completeWithinMs }: OutputWait,
	context: Context,
): Promise<number> {
	const runner = readRunner(run.directory);
	const deadline = clock.monotonic() + completeWithinMs;
	let searched = 0;
	for (let wait = 1; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
		// Both before the look at the output, so that nothing can come between.
		const late = clock.monotonic() >= deadline;
		const gone = wait >= LATE_MS && (runner === undefined || (await relayIsGone(runner, source)));
		const spool = openSpool(run.directory);
		const marker = await findEndMarker(spool, run.intent.nonce, searched);
		if (marker !== undefined) return marker;
		if (gone || late) return spool.size;
		// A marker that is only half there by now is found whole next time.
		searched = Math.max(0, spool.size - endMarker(run.intent.nonce).length);
		await pause(wait, clock, context.abortSignal);
	}
}

/** Whether nobody stands in the runner's own process group any more: neither the runner nor the relay. */
async function relayIsGone(runner: ProcessIdentity, source: ProcessSource): Promise<boolean> {
	const listed = await source.list({});
	return !listed.some(({ group }) => group === runner.pid);
}

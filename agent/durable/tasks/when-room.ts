import type { Clock } from "../clock.ts";
import { StorageFull } from "../errors.ts";
import { sleepUntil } from "./sleep.ts";

/** How long to wait before what found the disk full is tried again, in ms. */
const RETRY_MS = 1_000;

/**
 * Runs a commit, and again every second while there is no room for it: a full disk is known to have stored nothing.
 * `report` hears of it once. Rejects with the signal's reason, or with whatever else the commit fails with.
 */
export async function whenRoom<T>(
	commit: () => Promise<T>,
	{ clock, report }: { readonly clock: Clock; report(error: unknown): void },
	signal: AbortSignal,
): Promise<T> {
	let reported = false;
	for (;;) {
		try {
			return await commit();
		} catch (error) {
			if (!(error instanceof StorageFull)) throw error;
			if (!reported) report(error);
			reported = true;
		}
		await sleepUntil(clock, Number.POSITIVE_INFINITY, RETRY_MS, signal);
	}
}

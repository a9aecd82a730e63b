import type { Clock } from "../clock.ts";

/** A timer never runs longer than this, so that one set before a sleep of the machine is looked at soon after. */
const REARM_MS = 60_000;

/**
 * Resolves when the wall clock reaches `until`, or `lengthMs` of the monotonic clock have passed, whichever is first:
 * a clock set back never makes a wait longer than it was meant to be. Rejects with the signal's reason.
 */
export function sleepUntil(
	clock: Clock,
	until: number,
	lengthMs: number,
	signal: AbortSignal,
): Promise<void> {
	const startedAt = clock.monotonic();
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	let cancel: (() => void) | undefined;

	function arm(): void {
		const left = Math.min(until - clock.now(), lengthMs - (clock.monotonic() - startedAt));
		if (left <= 0) {
			signal.removeEventListener("abort", onAbort);
			resolve();
			return;
		}
		cancel = clock.after(Math.min(left, REARM_MS), arm);
	}
	function onAbort(): void {
		cancel?.();
		reject(signal.reason);
	}

	if (signal.aborted) return Promise.reject(signal.reason);
	signal.addEventListener("abort", onAbort, { once: true });
	arm();
	return promise;
}

import type { SlotWait } from "../types/live.ts";

type Around = {
	readonly signal: AbortSignal;
	now(): number;
	report(error: unknown): void;
};

/**
 * Shows that a request waits for room to be sent from, and that it no longer does.
 *
 * @param show stores what is shown; undefined takes it away
 */
export function createSlotWait(around: Around, show: (wait: SlotWait | undefined) => Promise<void>) {
	let shown = Promise.resolve();
	return {
		changed(waits: boolean): void {
			const wait: SlotWait | undefined = waits ? { reason: "slot", since: around.now() } : undefined;
			shown = shown
				.then(() => show(wait))
				.catch((error) => {
					// A stopped invocation can't write, and its end takes the wait away.
					if (!around.signal.aborted) around.report(error);
				});
		},
		/** Nothing more is shown after this resolves. */
		stop: () => shown,
	};
}

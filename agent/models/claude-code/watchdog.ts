import type { Clock } from "../../durable/clock.ts";

/**
 * Calls `onSilence` once when nothing was heard for `limitMs` of monotonic time.
 *
 * @returns `heard()` starts the time anew; `stop()` ends the watch
 */
export function watchForSilence(clock: Clock, limitMs: number, onSilence: () => void) {
	let last = clock.monotonic();
	let cancel = () => {};
	const watch = (ms: number) => {
		cancel = clock.after(ms, () => {
			const left = last + limitMs - clock.monotonic();
			if (left > 0) watch(left);
			else onSilence();
		});
	};
	watch(limitMs);
	return {
		heard(): void {
			last = clock.monotonic();
		},
		stop(): void {
			cancel();
		},
	};
}

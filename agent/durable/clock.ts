/** Time as the harness knows it; a test hands in its own. */
export interface Clock {
	/** Wall clock, in ms since the epoch. */
	now(): number;
	/** A clock that is never set, in ms from an arbitrary start. */
	monotonic(): number;
	/** Calls `run` after `ms`; the returned function cancels it. Timers don't keep the process alive. */
	after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
	now: () => Date.now(),
	monotonic: () => performance.now(),
	after(ms, run) {
		const timer = setTimeout(run, ms);
		timer.unref();
		return () => clearTimeout(timer);
	},
};

/** The system's clock with another source of wall time, as `HarnessOptions.now` gives one. */
export function clockWithNow(now: () => number): Clock {
	return { ...systemClock, now };
}

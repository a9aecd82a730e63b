import type { Clock } from "../clock.ts";
import { turns } from "./until.ts";

type Timer = { readonly due: number; readonly run: () => void };

/** A clock that stands still until a test moves it. */
export type ManualClock = Clock & {
	/** Moves both clocks on by `ms`; timers that come due fire in order, each followed by what it sets off. */
	advance(ms: number): Promise<void>;
	/**
	 * The machine sleeps for `ms`: no timer fires meanwhile, and those that came due fire late, after it. By `frozen` the
	 * monotonic clock stands still in the sleep, as on macOS and Linux; timers then go on where they were.
	 */
	sleep(ms: number, kind?: "frozen" | "late"): Promise<void>;
	/** Sets the wall clock, as a person or a time server does. No timer fires: they follow the monotonic clock. */
	setWall(now: number): void;
	/** How long each armed timer still has, in ms, shortest first. */
	timers(): number[];
};

/** A manual clock that starts at `now` of the wall clock, in ms since the epoch. */
export function createManualClock(now = Date.UTC(2026, 0, 1)): ManualClock {
	const armed = new Set<Timer>();
	let wall = now;
	let monotonic = 0;

	function moveTo(time: number): void {
		wall += time - monotonic;
		monotonic = time;
	}

	function nextDue(limit: number): Timer | undefined {
		let next: Timer | undefined;
		for (const timer of armed)
			if (timer.due <= limit && (next === undefined || timer.due < next.due)) next = timer;
		return next;
	}

	return {
		now: () => wall,
		monotonic: () => monotonic,
		after(ms, run) {
			const timer = { due: monotonic + Math.max(0, ms), run };
			armed.add(timer);
			return () => armed.delete(timer);
		},
		async advance(ms) {
			const end = monotonic + ms;
			await turns();
			for (let timer = nextDue(end); timer !== undefined; timer = nextDue(end)) {
				armed.delete(timer);
				moveTo(Math.max(monotonic, timer.due));
				timer.run();
				await turns();
			}
			moveTo(end);
		},
		async sleep(ms, kind = "frozen") {
			if (kind === "frozen") wall += ms;
			else moveTo(monotonic + ms);
			await this.advance(0);
		},
		setWall(to) {
			wall = to;
		},
		timers: () => [...armed].map(({ due }) => due - monotonic).sort((left, right) => left - right),
	};
}

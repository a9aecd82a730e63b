import type { Clock } from "../clock.ts";

/** How far the wall clock and the monotonic clock may drift apart, and a timer be late, before it was a sleep, in ms. */
const GAP_MS = 10_000;

/**
 * Sees sleeps of the machine by their gap: the monotonic clock stands still in them on some systems, on others timers
 * come late. A wall clock that is set looks the same, and costs no more than a request sent again.
 *
 * @returns whether there was a gap since the last call, which was to come `expectedMs` after the one before
 */
export function createWakeDetector(clock: Clock): (expectedMs: number) => boolean {
	let wall = clock.now();
	let monotonic = clock.monotonic();
	return (expectedMs) => {
		const wallPassed = clock.now() - wall;
		const monotonicPassed = clock.monotonic() - monotonic;
		wall += wallPassed;
		monotonic += monotonicPassed;
		return Math.abs(wallPassed - monotonicPassed) > GAP_MS || monotonicPassed - expectedMs > GAP_MS;
	};
}

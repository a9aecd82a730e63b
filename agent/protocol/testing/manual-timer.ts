import type { After } from "../timer.ts";
import { createQueue } from "./queue.ts";

export type ManualTimer = {
	readonly after: After;
	/** The next timer that is set, or was set and not yet looked at: how long, and what makes it fire. */
	next(): Promise<{ ms: number; fire: () => void }>;
	/** The next one of this length, passing over others. */
	of(ms: number): Promise<{ fire: () => void }>;
};

/** Timers that only the test fires. One that was cancelled does nothing. */
export function createManualTimer(): ManualTimer {
	const timers = createQueue<{ ms: number; fire: () => void }>("a timer");
	return {
		after(ms, run) {
			let cancelled = false;
			timers.push({
				ms,
				fire: () => {
					if (!cancelled) run();
				},
			});
			return () => {
				cancelled = true;
			};
		},
		next: () => timers.next(),
		async of(ms) {
			let timer = await timers.next();
			while (timer.ms !== ms) timer = await timers.next();
			return timer;
		},
	};
}

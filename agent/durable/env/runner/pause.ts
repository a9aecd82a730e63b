import type { Clock } from "../../clock.ts";

/** Resolves after `ms`, or when `wake` does; rejects with the signal's reason when that aborts first. */
export function pause(
	ms: number,
	clock: Clock,
	signal: AbortSignal | undefined,
	wake?: Promise<void>,
): Promise<void> {
	return new Promise((resolve, reject) => {
		if (signal?.aborted) return reject(signal.reason);
		const done = () => {
			cancel();
			signal?.removeEventListener("abort", aborted);
			resolve();
		};
		const aborted = () => {
			cancel();
			reject(signal!.reason);
		};
		const cancel = clock.after(ms, done);
		signal?.addEventListener("abort", aborted, { once: true });
		void wake?.then(done);
	});
}

/** The clock's timers don't keep the process alive, but whoever waits for a command means to see its end. */
export async function keepingAlive<T>(work: () => Promise<T>): Promise<T> {
	const longest = 2 ** 31 - 1;
	const timer = setInterval(() => {}, longest);
	try {
		return await work();
	} finally {
		clearInterval(timer);
	}
}

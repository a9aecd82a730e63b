import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";

/** How long a condition may take before the test fails, in ms of real time. */
const LIMIT_MS = 20_000;

/** Lets everything that is ready to run do so, what that makes ready included. */
export async function turns(count = 5): Promise<void> {
	for (let i = 0; i < count; i++) await turn();
}

/** After so many looks in a row, what is waited for is no work of this process; leave the processor to others. */
const IMPATIENT_LOOKS = 1000;

/** Resolves with the first truthy value of `condition`. Fails loudly, naming what it waited for. */
export async function until<T>(
	what: string,
	condition: () => T | Promise<T>,
	limitMs = LIMIT_MS,
): Promise<NonNullable<T>> {
	const deadline = performance.now() + limitMs;
	for (let looks = 0; ; looks++) {
		const value = await condition();
		if (value) return value;
		if (performance.now() > deadline) throw new Error(`Waited ${limitMs} ms in vain for: ${what}`);
		await (looks < IMPATIENT_LOOKS ? turn() : wait(5));
	}
}

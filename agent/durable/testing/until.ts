import { setImmediate as turn } from "node:timers/promises";

/** How long a condition may take before the test fails, in ms of real time. */
const DEADLINE_MS = 20_000;

/** Lets everything that is ready to run do so, what that makes ready included. */
export async function turns(count = 5): Promise<void> {
	for (let i = 0; i < count; i++) await turn();
}

/** Resolves with the first truthy value of `condition`. Fails loudly, naming what it waited for. */
export async function until<T>(what: string, condition: () => T | Promise<T>): Promise<NonNullable<T>> {
	const deadline = performance.now() + DEADLINE_MS;
	for (;;) {
		const value = await condition();
		if (value) return value;
		if (performance.now() > deadline) throw new Error(`Waited ${DEADLINE_MS} ms in vain for: ${what}`);
		await turn();
	}
}

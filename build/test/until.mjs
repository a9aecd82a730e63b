import { setTimeout as wait } from "node:timers/promises";

/**
 * For tests: waits for something that has no event, such as a file that another process writes.
 *
 * @template T
 * @param {string} what what is waited for, for the error
 * @param {() => T | Promise<T>} look called again and again until it returns something truthy
 * @param {number} [limit] milliseconds
 * @returns {Promise<NonNullable<T>>} what it returned
 * @throws {Error} at the limit, naming what did not happen
 */
export async function until(what, look, limit = 20_000) {
	const deadline = performance.now() + limit;
	for (;;) {
		const found = await look();
		if (found) return found;
		if (performance.now() > deadline) throw new Error(`Within ${limit} ms this did not happen: ${what}`);
		await wait(10);
	}
}

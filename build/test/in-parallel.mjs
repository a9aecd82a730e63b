/**
 * Runs jobs in their order, a few at a time.
 *
 * @template T
 * @param {number} width how many run at once
 * @param {(() => Promise<T>)[]} jobs
 * @param {AbortSignal} signal when it fires no further job begins; those that run are waited for
 * @param {(result: T) => void} onResult is called as each ends
 * @returns {Promise<T[]>} the results of the jobs that ran, in the order of the jobs
 */
export async function inParallel(width, jobs, signal, onResult) {
	/** @type {T[]} */
	const results = [];
	let next = 0;
	const worker = async () => {
		for (let index = next++; index < jobs.length && !signal.aborted; index = next++) {
			const result = await /** @type {() => Promise<T>} */ (jobs[index])();
			results[index] = result;
			onResult(result);
		}
	};
	await Promise.all(Array.from({ length: width }, worker));
	// A job that did not run left a hole, which filter passes over.
	return results.filter(() => true);
}

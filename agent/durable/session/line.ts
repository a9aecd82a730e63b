/** Runs jobs one at a time, in the order they were handed in. */
export type Line = <T>(job: () => T | Promise<T>) => Promise<T>;

export function createLine(): Line & { idle(): Promise<void> } {
	let tail: Promise<unknown> = Promise.resolve();
	const run = <T>(job: () => T | Promise<T>): Promise<T> => {
		const result = tail.then(job);
		// The next job starts whatever became of this one; its own caller hears of a failure.
		tail = result.then(ignore, ignore);
		return result;
	};
	return Object.assign(run, { idle: () => tail.then(ignore) });
}

function ignore(): void {}

/** Joins the flushes that are asked for in one tick into one. */
export type JoinedFlush = {
	/** Resolves once `flushNow` has run, and rejects with what it threw. */
	request(): Promise<void>;
	/** Does now what is still to come. */
	settle(): void;
};

export function createJoinedFlush(flushNow: () => void): JoinedFlush {
	let waiting: { readonly promise: Promise<void>; readonly settle: () => void } | undefined;

	function schedule(): Promise<void> {
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const timer = setImmediate(settle);
		function settle(): void {
			clearImmediate(timer);
			waiting = undefined;
			try {
				flushNow();
				resolve();
			} catch (error) {
				reject(error);
			}
		}
		waiting = { promise, settle };
		return promise;
	}

	return {
		request: () => waiting?.promise ?? schedule(),
		settle: () => waiting?.settle(),
	};
}

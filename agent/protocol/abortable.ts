/**
 * A promise whose wait a signal can end. `start` is not called when the signal has ended it already; the function it
 * returns is called when the signal does so later.
 */
export function abortable<T>(
	signal: AbortSignal | undefined,
	start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
	if (signal === undefined) return new Promise((resolve, reject) => void start(resolve, reject));
	if (signal.aborted) return Promise.reject(signal.reason);
	return new Promise<T>((resolve, reject) => {
		const release = () => signal.removeEventListener("abort", onAbort);
		const onAbort = () => {
			cancel();
			reject(signal.reason);
		};
		signal.addEventListener("abort", onAbort, { once: true });
		const cancel = start(
			(value) => {
				release();
				resolve(value);
			},
			(error) => {
				release();
				reject(error);
			},
		);
	});
}

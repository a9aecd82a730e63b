/**
 * Calls a listener. One that throws is its own trouble: the error surfaces as uncaught, as a browser does it for its
 * events, and what was going on is gone through to its end.
 */
export function callBack(call: () => void): void {
	try {
		call();
	} catch (error) {
		queueMicrotask(() => {
			throw error;
		});
	}
}

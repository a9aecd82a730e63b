import type { Context } from "@earendil-works/chord";
import { awaitWithContext } from "@earendil-works/chord/context";
import { SessionClosed } from "../errors.ts";

type Waiter = { readonly holds: () => boolean; resolve(): void; reject(error: Error): void };

/** Promises for conditions over committed state, looked at again after each commit. */
export function createWaiters() {
	const waiters = new Set<Waiter>();
	let ended: Error | undefined;

	return {
		/** Resolves once `holds()`; cancelling the context ends only this wait. */
		until(holds: () => boolean, context: Context): Promise<void> {
			if (ended !== undefined) return Promise.reject(ended);
			if (holds()) return Promise.resolve();
			const { promise, resolve, reject } = Promise.withResolvers<void>();
			const waiter: Waiter = { holds, resolve, reject };
			waiters.add(waiter);
			const forget = () => waiters.delete(waiter);
			promise.then(forget, forget);
			context.abortSignal?.addEventListener("abort", forget, { once: true });
			return awaitWithContext(promise, context);
		},
		check(): void {
			for (const waiter of [...waiters]) if (waiter.holds()) waiter.resolve();
		},
		end(error: Error = new SessionClosed()): void {
			ended = error;
			for (const waiter of [...waiters]) waiter.reject(error);
			waiters.clear();
		},
	};
}

export type Waiters = ReturnType<typeof createWaiters>;

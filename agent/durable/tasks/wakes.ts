import type { TaskId } from "../types/ids.ts";

/** Ends the sleep of single tasks before its time. */
export type Wakes = {
	/** A phase begins: what was to wake an earlier one is over. */
	begin(id: TaskId): void;
	/** Resolves when the task is to wake; at once when that was said since its phase began. */
	woken(id: TaskId): Promise<void>;
	wake(id: TaskId): void;
};

export function createWakes(): Wakes {
	const calls = new Map<TaskId, PromiseWithResolvers<void>>();

	function callOf(id: TaskId): PromiseWithResolvers<void> {
		const call = calls.get(id) ?? Promise.withResolvers<void>();
		calls.set(id, call);
		return call;
	}

	return {
		begin: (id) => void calls.delete(id),
		woken: (id) => callOf(id).promise,
		wake: (id) => callOf(id).resolve(),
	};
}

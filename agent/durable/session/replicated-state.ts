import type { Context, ReplicatedStateDelivery } from "@earendil-works/chord";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { AttachedReplicatedState } from "../types/session.ts";

export type StateSource<T> = {
	readonly state: AttachedReplicatedState<T>;
	publish(value: T, context: Context): void;
	/** The state keeps its last value and never changes again. */
	end(): void;
};

/**
 * The producing side of a read-only Chord state that is hydrated from the start: a subscriber is called with the value
 * at once, and off the line with each later one. `onError` hears of a subscriber that throws.
 */
export function createStateSource<T>(
	initial: T,
	onDispose: () => void,
	onError: (error: unknown) => void,
): StateSource<T> {
	type Listener = (value: T, context: Context, delivery: ReplicatedStateDelivery) => void;
	const listeners = new Set<Listener>();
	let value = initial;
	let sequence = 0;
	let live = true;

	function end(): void {
		if (!live) return;
		live = false;
		listeners.clear();
		onDispose();
	}

	function deliver(listener: Listener, next: T, context: Context, delivery: ReplicatedStateDelivery): void {
		try {
			listener(next, context, delivery);
		} catch (error) {
			onError(error);
		}
	}

	return {
		state: {
			get value() {
				return value;
			},
			subscribe(listener) {
				if (live) listeners.add(listener);
				deliver(listener, value, BACKGROUND_CONTEXT, { kind: "hydrate", sequence });
				return () => listeners.delete(listener);
			},
			dispose: end,
		},
		publish(next, context) {
			if (!live) return;
			value = next;
			sequence++;
			const delivery = { kind: "update", sequence } as const;
			for (const listener of listeners)
				queueMicrotask(() => {
					if (listeners.has(listener)) deliver(listener, next, context, delivery);
				});
		},
		end,
	};
}

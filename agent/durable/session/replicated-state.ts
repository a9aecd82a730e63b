import type { Context, ReplicatedStateDelivery } from "@earendil-works/chord";
import type { AttachedReplicatedState } from "../types/session.ts";

export type StateSource<T> = {
	readonly state: AttachedReplicatedState<T>;
	publish(value: T, context: Context): void;
	/** The state keeps its last value and never changes again. */
	end(): void;
};

/** The producing side of a read-only Chord state that is hydrated from the start. */
export function createStateSource<T>(initial: T, onDispose: () => void): StateSource<T> {
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

	return {
		state: {
			get value() {
				return value;
			},
			subscribe(listener) {
				if (live) listeners.add(listener);
				return () => listeners.delete(listener);
			},
			dispose: end,
		},
		publish(next, context) {
			if (!live) return;
			value = next;
			sequence++;
			for (const listener of [...listeners])
				queueMicrotask(() => {
					if (listeners.has(listener)) listener(next, context, { kind: "update", sequence });
				});
		},
		end,
	};
}

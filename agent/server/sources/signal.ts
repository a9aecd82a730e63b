/** Tells whoever listens that something happened. */
export type Signal = {
	raise(): void;
	/** Returns what ends the listening. */
	subscribe(listener: () => void): () => void;
};

export function createSignal(): Signal {
	const listeners = new Set<() => void>();
	return {
		raise() {
			for (const listener of [...listeners]) listener();
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
}

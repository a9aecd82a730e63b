import type { Clock } from "../clock.ts";
import type { Network, NetworkEvent } from "../types/network.ts";
import { createWakeDetector } from "./wake.ts";

export type NetworkOptions = {
	readonly clock: Clock;
	/** The addresses that a packet to another machine would leave from now; undefined when there is no route. */
	readonly route: () => Promise<string | undefined>;
};

/**
 * How often clocks and route are looked at, in ms: more often while someone listens, a request or a wait, and most often
 * while it may come back. An idle process shouldn't keep a processor from its rest.
 */
const IDLE_BEAT_MS = 60_000;
const BEAT_MS = 5_000;
const AWAY_BEAT_MS = 1_000;
/** How long after a wake or a change of address a failure may still be its fault, in ms. */
const AFTERMATH_MS = 60_000;

/** Watches the machine's network until `close()`. */
export function createNetwork({ clock, route }: NetworkOptions): Network & { close(): void } {
	const listeners = new Set<(event: NetworkEvent) => void>();
	const wokeSinceLastLook = createWakeDetector(clock);
	/** What the last look found; null before the first one. */
	let address: string | undefined | null = null;
	let disturbedAt = Number.NEGATIVE_INFINITY;
	let beat = IDLE_BEAT_MS;
	let cancel = () => {};
	let looking: Promise<void> | undefined;
	let closed = false;

	function emit(event: NetworkEvent): void {
		if (closed) return;
		if (event !== "lost") disturbedAt = clock.monotonic();
		for (const listener of [...listeners]) listener(event);
	}

	function lookAtClocks(): void {
		if (wokeSinceLastLook(beat)) emit("woke");
	}

	async function look(): Promise<void> {
		lookAtClocks();
		const found = await route();
		const before = address;
		address = found;
		if (before === null || before === found) return;
		emit(found === undefined ? "lost" : before === undefined ? "back" : "changed");
	}

	/** One look at a time; who asks meanwhile gets the next one, so that what it learns is not older than its question. */
	function lookAnew(): Promise<void> {
		const next = (looking ?? Promise.resolve()).then(look);
		looking = next;
		return next;
	}

	function arm(): void {
		cancel();
		if (closed) return;
		beat = listeners.size === 0 ? IDLE_BEAT_MS : address === undefined ? AWAY_BEAT_MS : BEAT_MS;
		cancel = clock.after(beat, () => void lookAnew().finally(arm));
	}

	void lookAnew().finally(arm);
	return {
		async mayBeToBlame() {
			await lookAnew();
			return address === undefined || clock.monotonic() - disturbedAt <= AFTERMATH_MS;
		},
		subscribe(listener) {
			// What was before it is nothing to it.
			lookAtClocks();
			listeners.add(listener);
			if (listeners.size === 1) void lookAnew().finally(arm);
			return () => listeners.delete(listener);
		},
		close() {
			closed = true;
			cancel();
			listeners.clear();
		},
	};
}

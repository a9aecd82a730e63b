import type { Clock } from "../clock.ts";
import type { Network } from "../types/network.ts";

/** Why a request was given up: the machine had slept, or nothing came for `ms`. */
export type Drop =
	| { readonly kind: "woke" }
	| { readonly kind: "silent"; readonly ms: number; readonly networksFault: boolean };

/** A request with no byte for this long is given up, in ms of monotonic time. */
const SILENCE_MS = 5 * 60_000;
/** The same while the network is away or was disturbed around the beginning of the silence. */
const SILENCE_OF_NETWORK_MS = 60_000;

/**
 * Watches one open request, and gives it up once: at a wake of the machine, which leaves connections that nobody will
 * ever hear of again, and after silence.
 *
 * @param leavesMachine whether the network can have anything to do with it
 * @returns `heard()` for every byte; `pause()` while it is not sent yet; `stop()` ends the watch
 */
export function watchRequest(
	clock: Clock,
	network: Network | undefined,
	leavesMachine: boolean,
	giveUp: (drop: Drop) => void,
) {
	let heardAt = clock.monotonic();
	let isPaused = false;
	/** When the network was last seen to be disturbed; while it is away, always now. */
	let disturbedAt = Number.NEGATIVE_INFINITY;
	let isAway = false;
	let cancel = () => {};
	let isOver = false;

	const unsubscribe = leavesMachine
		? network?.subscribe((event) => {
				isAway = event === "lost";
				disturbedAt = clock.monotonic();
				if (event === "woke" && !isPaused) drop({ kind: "woke" });
				else look();
			})
		: undefined;

	function drop(why: Drop): void {
		if (isOver) return;
		stop();
		giveUp(why);
	}

	function look(): void {
		if (isOver) return;
		cancel();
		const ms = isPaused ? 0 : clock.monotonic() - heardAt;
		const networksFault = isAway || disturbedAt >= heardAt - SILENCE_OF_NETWORK_MS;
		const limitMs = networksFault ? SILENCE_OF_NETWORK_MS : SILENCE_MS;
		if (ms >= limitMs) drop({ kind: "silent", ms, networksFault });
		else cancel = clock.after(limitMs - ms, look);
	}

	function stop(): void {
		isOver = true;
		cancel();
		unsubscribe?.();
	}

	look();
	return {
		heard(): void {
			heardAt = clock.monotonic();
		},
		/** Nothing is sent while it waits for its place, so nothing can be heard. */
		pause(paused: boolean): void {
			isPaused = paused;
			heardAt = clock.monotonic();
		},
		stop,
	};
}

import { createSubscriber } from "svelte/reactivity";

const TICK_MS = 1000;

const subscribe = createSubscriber((update) => {
	const timer = setInterval(update, TICK_MS);
	return () => clearInterval(timer);
});

/** The time now. What reads it while it draws is drawn again every second; nothing ticks while nothing reads it. */
export function now(): number {
	subscribe();
	return Date.now();
}

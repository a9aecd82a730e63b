import type { SimpleStreamOptions } from "@earendil-works/pi-ai";

/** pi-ai's options of a request, and what the harness adds for providers that know of it. */
export type RequestOptions = SimpleStreamOptions & {
	/** Told that the request waits for room to be sent from, and, with false, that it goes on. */
	readonly onSlotWait?: (waits: boolean) => void;
};

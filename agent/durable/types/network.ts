/** `lost`: no route any more; `back`: a route again; `changed`: another address; `woke`: the machine had slept. */
export type NetworkEvent = "lost" | "back" | "changed" | "woke";

/** What is known of the machine's way to other machines. */
export interface Network {
	/**
	 * Whether the network may be to blame for a request that has just failed without an answer: there is no route, or in
	 * the last minute the machine woke or its address changed.
	 */
	mayBeToBlame(): Promise<boolean>;
	/** Hears of what happens to it, until the returned function is called. */
	subscribe(listener: (event: NetworkEvent) => void): () => void;
}

import { isOlder, protocolError } from "../protocol/index.ts";

/** The agent that is to take this one's place, as it says of itself. */
export type Successor = {
	readonly version: string;
	/** The newest format of the store that it can read. */
	readonly storeFormat: number;
	readonly when: "idle" | "now";
};

export type HandoverParts = {
	readonly version: string;
	readonly storeFormat: number;
	/** Resolves once no session is running: what waits for a time can wait for it in the next agent. */
	readonly nothingRuns: (signal: AbortSignal) => Promise<void>;
	/** Begins to end the agent. */
	readonly end: (to: string) => void;
	/** For the log. */
	readonly say: (message: string) => void;
};

/**
 * This agent's side of a handover: whether it gives way, and when. It gives way to nobody who may not be able to read
 * what it has stored.
 */
export function createHandover({ version, storeFormat, nothingRuns, end, say }: HandoverParts) {
	let waiting = 0;

	function check(successor: Successor): void {
		if (successor.storeFormat < storeFormat)
			throw protocolError(
				"handover_refused",
				`Agent ${version} runs on, since agent ${successor.version} can't read its store ` +
					`(the format is ${storeFormat}, that one knows up to ${successor.storeFormat}). Update that one.`,
			);
		if (isOlder(successor.version, version))
			throw protocolError(
				"handover_refused",
				`Agent ${version} runs on, since agent ${successor.version} is older. Update that one.`,
			);
	}

	return {
		/**
		 * Resolves when the end has begun. Rejects with `handover_refused`, also when the signal says that the successor has
		 * gone while it waits.
		 */
		async giveWay(successor: Successor, signal: AbortSignal): Promise<void> {
			check(successor);
			say(
				`Version ${successor.version} wants to take over ${successor.when === "idle" ? "when nothing runs" : "now"}.`,
			);
			if (successor.when === "idle") {
				waiting++;
				try {
					await nothingRuns(signal);
				} catch (error) {
					if (!signal.aborted) throw error;
					throw protocolError("handover_refused", "Who asks sends no more, so nobody waits for the end.");
				} finally {
					waiting--;
				}
			}
			end(successor.version);
		},
		/** Whether a successor waits until nothing runs. */
		get isWanted(): boolean {
			return waiting > 0;
		},
	};
}

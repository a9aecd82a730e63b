import type { Sessions } from "./service.ts";

/**
 * Resolves once no session is running; those that wait for a time or for a person don't count. Rejects with the signal's
 * reason.
 */
export function untilNoneRuns(
	sessions: Pick<Sessions, "list" | "subscribe">,
	signal: AbortSignal,
): Promise<void> {
	return new Promise((resolve, reject) => {
		const end = (settle: () => void) => {
			unsubscribe();
			signal.removeEventListener("abort", leave);
			settle();
		};
		const look = () => {
			if (sessions.list({ archived: true }).every(({ activity }) => activity.kind !== "running"))
				end(resolve);
		};
		const leave = () => end(() => reject(signal.reason));
		const unsubscribe = sessions.subscribe(look);
		signal.addEventListener("abort", leave);
		if (signal.aborted) leave();
		else look();
	});
}

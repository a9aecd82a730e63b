import type { Context } from "@earendil-works/chord";
import { liveOf } from "../harness/run.ts";
import type { GenerationRuntime } from "./outcome.ts";

/** Shows in the live state that a request waits for room to be sent from. */
export function createSlotWait(attempt: number, runtime: GenerationRuntime, context: Context) {
	let shown = Promise.resolve();

	const show = (since: number | undefined) =>
		runtime.commit(
			async (tx) => {
				const live = await liveOf(tx, runtime.conversationId);
				live.generation = since === undefined ? { attempt } : { attempt, waiting: { reason: "slot", since } };
			},
			context,
			{ progress: false },
		);

	return {
		changed(waits: boolean): void {
			const since = waits ? runtime.now() : undefined;
			shown = shown
				.then(() => show(since))
				.catch((error) => {
					// A stopped invocation can't write, and its end takes the wait away.
					if (!runtime.signal.aborted) runtime.report(error);
				});
		},
		/** Nothing more is shown after this resolves. */
		stop: () => shown,
	};
}

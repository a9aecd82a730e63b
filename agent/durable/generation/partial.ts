import type { Context } from "@earendil-works/chord";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { crashPoint } from "../crash-points.ts";
import { liveOf } from "../harness/run.ts";
import { copyLooseJson } from "../session/strict-json.ts";
import type { LiveState } from "../types/live.ts";
import type { GenerationRuntime } from "./outcome.ts";

/**
 * Commits a growing answer at most every `progress.partialIntervalMs`; the first part after a pause goes out at once. The stored
 * change is what was appended, and the answer's own entry replaces it at the end.
 */
export function createPartialWriter(runtime: GenerationRuntime, context: Context) {
	const { clock } = runtime;
	let newest: AssistantMessage | undefined;
	let lastCommit = Number.NEGATIVE_INFINITY;
	let cancelTimer: (() => void) | undefined;
	let inFlight: Promise<void> | undefined;
	let stopped = false;

	function schedule(): void {
		if (stopped || newest === undefined || inFlight !== undefined || cancelTimer !== undefined) return;
		const wait = lastCommit + runtime.settings.progress.partialIntervalMs - clock.monotonic();
		if (wait <= 0) write();
		else
			cancelTimer = clock.after(wait, () => {
				cancelTimer = undefined;
				write();
			});
	}

	function write(): void {
		if (stopped || newest === undefined) return;
		const partial = copyLooseJson(newest);
		newest = undefined;
		lastCommit = clock.monotonic();
		inFlight = runtime
			.commit(
				async (tx) => {
					const live = await liveOf(tx, runtime.conversationId);
					if (live.generation !== undefined)
						live.generation.message = partial as NonNullable<LiveState["generation"]>["message"];
				},
				context,
				{ progress: false },
			)
			.catch((error) => {
				// A stopped invocation can't write; anything else shows again at the commit of the answer.
				if (!runtime.signal.aborted) runtime.report(error);
			})
			.finally(() => {
				inFlight = undefined;
				crashPoint("generation:partial", runtime.conversationId);
				schedule();
			});
	}

	return {
		update(message: AssistantMessage): void {
			newest = message;
			schedule();
		},
		/** No partial lands after this resolves. */
		async stop(): Promise<void> {
			stopped = true;
			cancelTimer?.();
			await inFlight;
		},
	};
}

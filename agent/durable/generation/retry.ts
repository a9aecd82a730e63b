import type { Context } from "@earendil-works/chord";
import { liveOf } from "../harness/run.ts";
import { afterWait } from "../model-request/attempts.ts";
import { waitUntilWorthATry } from "../model-request/wait.ts";
import { at, type GenerationRuntime, type GenerationTaskIn } from "./outcome.ts";
import { carriedOn } from "./token.ts";

/**
 * Waits until the stored deadline, or until something makes a try worth while before it, then prepares anew: what was
 * changed meanwhile applies.
 */
export async function retry(
	task: GenerationTaskIn<"retry">,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	await waitUntilWorthATry(task.state.checkpoint, runtime, context);
	await runtime.commit(async (tx, current) => {
		// A person who doesn't want to wait has changed it in the meantime.
		const waited = current.state.checkpoint as GenerationTaskIn<"retry">["state"]["checkpoint"];
		const live = await liveOf(tx, runtime.conversationId);
		live.generation = { attempt: waited.attempt };
		return at({ phase: "prepare", ...carriedOn(waited), ...afterWait(waited, runtime.now()) });
	}, context);
}

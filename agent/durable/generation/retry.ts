import type { Context } from "@earendil-works/chord";
import { liveOf } from "../harness/run.ts";
import { at, type GenerationRuntime, type GenerationTaskIn } from "./outcome.ts";

/** Waits until the stored deadline, then prepares anew: what was changed meanwhile applies. */
export async function retry(
	task: GenerationTaskIn<"retry">,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	const { attempt, resumptions, compacted, until, lengthMs } = task.state.checkpoint;
	await runtime.sleep(until, context, lengthMs);
	await runtime.commit(async (tx) => {
		const live = await liveOf(tx, runtime.conversationId);
		live.generation = { attempt };
		return at({
			phase: "prepare",
			attempt,
			...(resumptions === undefined ? {} : { resumptions }),
			...(compacted === undefined ? {} : { compacted }),
		});
	}, context);
}

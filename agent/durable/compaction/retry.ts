import type { Context } from "@earendil-works/chord";
import { statusOf } from "./status.ts";
import type { CompactionRuntime, CompactionTaskIn } from "./token.ts";

/** Waits until the stored deadline, then sends the same request again. */
export async function retry(
	task: CompactionTaskIn<"retry">,
	runtime: CompactionRuntime,
	context: Context,
): Promise<void> {
	const { until, lengthMs, ...request } = task.state.checkpoint;
	await runtime.sleep(until, context, lengthMs);
	await runtime.commit(async (tx) => {
		const status = await statusOf(tx, runtime.conversationId, runtime.taskId);
		if (status !== undefined) {
			status.attempt = request.attempt;
			delete status.retry;
		}
		return { status: "running", checkpoint: { ...request, phase: "summarize" } };
	}, context);
}

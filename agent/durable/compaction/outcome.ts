import type { Context } from "@earendil-works/chord";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { addModelUsage } from "../harness/usage.ts";
import { removeStatus } from "./status.ts";
import type { CompactionRuntime } from "./token.ts";

/** Nothing was worth compacting, or a hook declined. */
export async function endWithout(runtime: CompactionRuntime, context: Context): Promise<void> {
	await runtime.commit(async (tx) => {
		await removeStatus(tx, runtime.conversationId, runtime.taskId);
		return { status: "terminal", outcome: { status: "completed", result: {} } };
	}, context);
}

/** No summary came of it; `spent` is the response that failed, whose cost counts all the same. */
export async function fail(
	runtime: CompactionRuntime,
	reason: "no_model" | "model_error",
	message: string,
	context: Context,
	spent?: AssistantMessage,
): Promise<void> {
	const { conversationId } = runtime;
	await runtime.commit(async (tx) => {
		if (spent !== undefined) await addModelUsage(tx, conversationId, spent);
		await removeStatus(tx, conversationId, runtime.taskId);
		return {
			status: "terminal",
			outcome: { status: "failed", error: { message, detail: { reason } } },
		};
	}, context);
}

import type { Context } from "@earendil-works/chord";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { addModelUsage } from "../harness/usage.ts";
import type { Wait } from "../model-request/waits.ts";
import { statusOf } from "./status.ts";
import { type CompactionRuntime, type SummaryRequest, summaryOf } from "./token.ts";

/**
 * Stores and shows what a request for a summary waits for; `failed` is the attempt that failed, if any. False, and
 * nothing is stored, when `decide`, called in the commit, finds nothing to wait for.
 */
export async function storeWait(
	request: SummaryRequest,
	decide: () => Wait | undefined,
	runtime: CompactionRuntime,
	context: Context,
	failed?: AssistantMessage,
): Promise<boolean> {
	let waits = false;
	await runtime.commit(async (tx) => {
		const wait = decide();
		if (wait === undefined) return undefined;
		waits = true;
		if (failed !== undefined) await addModelUsage(tx, runtime.conversationId, failed);
		const status = await statusOf(tx, runtime.conversationId, runtime.taskId);
		if (status !== undefined) Object.assign(status, { attempt: request.attempt, ...wait.shown });
		return {
			status: "running",
			checkpoint: { phase: "retry", ...summaryOf(request), ...wait.stored },
		};
	}, context);
	return waits;
}

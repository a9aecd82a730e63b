import type { Context } from "@earendil-works/chord";
import { afterWait } from "../model-request/attempts.ts";
import { waitUntilWorthATry } from "../model-request/wait.ts";
import { findModel } from "./select.ts";
import { statusOf } from "./status.ts";
import { lengthOfSummary } from "./summary-length.ts";
import { type CompactionRuntime, type CompactionTaskIn, type SummaryRequest, summaryOf } from "./token.ts";

/**
 * Waits until the stored deadline, or until something makes a try worth while before it, then asks for the same summary
 * again, from the model that is chosen by then.
 */
export async function retry(
	task: CompactionTaskIn<"retry">,
	runtime: CompactionRuntime,
	context: Context,
): Promise<void> {
	await waitUntilWorthATry(task.state.checkpoint, runtime, context);
	const chosen = await chosenSince(task.state.checkpoint, runtime, context);
	await runtime.commit(async (tx, current) => {
		// A person who doesn't want to wait has changed it in the meantime.
		const waited = current.state.checkpoint as CompactionTaskIn<"retry">["state"]["checkpoint"];
		const status = await statusOf(tx, runtime.conversationId, runtime.taskId);
		if (status !== undefined) {
			status.attempt = waited.attempt;
			delete status.retry;
			delete status.waiting;
		}
		const summary = { ...summaryOf(waited), ...chosen };
		return {
			status: "running",
			checkpoint: { phase: "summarize", ...summary, ...afterWait(waited, runtime.now()) },
		};
	}, context);
}

/** What another model needs to be asked, when one was chosen in the meantime. */
async function chosenSince(
	{ model: before }: SummaryRequest,
	runtime: CompactionRuntime,
	context: Context,
): Promise<Pick<SummaryRequest, "model" | "thinkingLevel" | "maxTokens"> | undefined> {
	const { model: ref, thinkingLevel } = await runtime.agent(context);
	const model = findModel(runtime, ref);
	if (model === undefined || (model.provider === before.provider && model.id === before.modelId))
		return undefined;
	return {
		model: { provider: model.provider, modelId: model.id },
		thinkingLevel,
		maxTokens: lengthOfSummary(runtime.settings.compaction.reserveTokens, model),
	};
}

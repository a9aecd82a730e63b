import type { Context } from "@earendil-works/chord";
import { type AssistantMessage, isContextOverflow } from "@earendil-works/pi-ai";
import { selectRange } from "../compaction/range.ts";
import { startCompaction } from "../compaction/status.ts";
import type { CompactionInput } from "../compaction/token.ts";
import { appendAssistant, endRun, liveOf } from "../harness/run.ts";
import type { TaskId } from "../types/ids.ts";
import type { CompactionResult } from "../types/live.ts";
import type { Tx } from "../types/session.ts";
import {
	failed,
	type GenerationRuntime,
	type GenerationTaskIn,
	type NextGenerationState,
} from "./outcome.ts";
import { type CarriedOn, carriedOn } from "./token.ts";

/** A compaction waits for no limit that the run which begins it has waited for, or tries in spite of. */
export function waitedForBy({ waitedFor }: CarriedOn): Pick<CompactionInput, "waitedFor"> {
	return waitedFor === undefined ? {} : { waitedFor };
}

/** The context is nearly full: the run waits for a compaction, and then sends its request whatever came of it. */
export async function compactFirst(
	carried: CarriedOn,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	await runtime.commit((tx) => waitForCompaction(tx, "threshold", carried, runtime), context);
}

/**
 * The provider says that the context is too long: compacts once and prepares again, which spends no attempt. Where
 * that was done already, is switched off or has nothing to cut, the run ends with what a person can do. Returns false,
 * and does nothing, when the response says something else.
 */
export async function handleOverflow(
	task: GenerationTaskIn<"request">,
	response: AssistantMessage,
	runtime: GenerationRuntime,
	context: Context,
): Promise<boolean> {
	if (!isContextOverflow(response)) return false;
	const { checkpoint } = task.state;
	const { compacted, cutoff } = checkpoint;
	const error = response.errorMessage ?? "";
	const policy = runtime.settings.compaction;
	const view = await runtime.context(runtime.conversationId, context, { at: cutoff });
	const canCut = selectRange(view, policy.keepRecentTokens, "overflow") !== undefined;
	const advice =
		compacted !== undefined
			? "The conversation is still too long for the model after it was compacted."
			: !policy.enabled
				? "The conversation is too long for the model, and automatic compaction is switched off. Compact it by hand."
				: !canCut
					? "The newest message and the prompt alone are too long for the model; there is nothing before them to compact."
					: undefined;
	await runtime.commit(async (tx) => {
		const entryId = await appendAssistant(tx, runtime.conversationId, response);
		if (advice !== undefined) return endTooLong(tx, runtime, advice, error, entryId);
		const live = await liveOf(tx, runtime.conversationId);
		delete live.generation;
		return waitForCompaction(tx, "overflow", { ...carriedOn(checkpoint), overflow: error }, runtime);
	}, context);
	return true;
}

/** Why the compaction that an overflow started made no room; undefined when it did. */
export async function whyNoRoom(
	compacted: TaskId<CompactionResult>,
	runtime: GenerationRuntime,
	context: Context,
): Promise<string | undefined> {
	const [outcome] = await runtime.outcomes([compacted], context);
	switch (outcome?.status) {
		case "completed":
			return outcome.result.entryId === undefined ? "it was declined." : undefined;
		case "failed":
		case "faulted":
			return outcome.error.message;
		default:
			return "it was stopped.";
	}
}

/** Ends a run whose compaction made no room. */
export async function endUncompacted(
	why: string,
	overflow: string,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	const advice = `The conversation is too long for the model, and compacting it failed: ${why}`;
	await runtime.commit((tx) => endTooLong(tx, runtime, advice, overflow), context);
}

async function endTooLong(
	tx: Tx,
	{ conversationId }: GenerationRuntime,
	advice: string,
	error: string,
	entryId?: Awaited<ReturnType<typeof appendAssistant>>,
): Promise<NextGenerationState> {
	const detail = `${advice} Choose a model with a larger context window, or start a new context. The model said: ${error}`;
	await endRun(tx, conversationId, { status: "unanswered", reason: "model_error", detail });
	return failed(detail, entryId);
}

async function waitForCompaction(
	tx: Tx,
	reason: "threshold" | "overflow",
	next: CarriedOn & { readonly overflow?: string },
	{ conversationId, taskId }: GenerationRuntime,
): Promise<NextGenerationState> {
	const ownership = { kind: "task", taskId } as const;
	const compacted = await startCompaction(
		tx,
		conversationId,
		{ reason, ...waitedForBy(next) },
		{ ownership },
	);
	return {
		status: "waiting",
		checkpoint: { ...next, phase: "prepare", compacted },
		on: [compacted],
		policy: "allSettled",
	};
}

import type { ModelThinkingLevel } from "@earendil-works/pi-ai";
import type { Attempts, StoredWait } from "../model-request/attempts.ts";
import type { ConversationStreamOptions, ModelRef } from "../types/agent.ts";
import type { CompactionHooks } from "../types/extensions.ts";
import type { EntryId } from "../types/ids.ts";
import type { AccountLimit } from "../types/limits.ts";
import type { CompactionReason, CompactionResult } from "../types/live.ts";
import type { NextTaskState, RunningTask, Task, TaskDefinition, TaskRuntime } from "../types/tasks.ts";

export type CompactionInput = {
	readonly reason: CompactionReason;
	/** What a person wants the summary to dwell on. */
	readonly instructions?: string;
	/** The newest limit that its run has waited for, or that a person lets it try in spite of. */
	readonly waitedFor?: AccountLimit;
};

/** What is asked for, fixed when its range was chosen: every attempt asks the same, unless another model is chosen. */
export type Summary = {
	readonly model: ModelRef;
	readonly thinkingLevel: ModelThinkingLevel;
	readonly streamOptions: ConversationStreamOptions;
	/** How long the summary may be, in tokens. */
	readonly maxTokens: number;
	/** Newest entry of the context that the range was chosen from. */
	readonly tail: EntryId;
	/** First entry that stays as it is: the summary's head. */
	readonly firstKept: EntryId;
};

export type SummaryRequest = Summary & Attempts;

/** Only what is asked for, of a checkpoint. */
export function summaryOf(request: Summary): Summary {
	const { model, thinkingLevel, streamOptions, maxTokens, tail, firstKept } = request;
	return { model, thinkingLevel, streamOptions, maxTokens, tail, firstKept };
}

export type CompactionCheckpoint =
	| { readonly phase: "select" }
	| ({ readonly phase: "summarize" } & SummaryRequest)
	| ({ readonly phase: "retry" } & SummaryRequest & StoredWait);

export type CompactionRuntime = TaskRuntime<
	CompactionInput,
	CompactionCheckpoint,
	CompactionResult,
	CompactionHooks
>;

export type CompactionTaskIn<P extends CompactionCheckpoint["phase"]> = RunningTask<
	CompactionInput,
	Extract<CompactionCheckpoint, { phase: P }>,
	CompactionResult
>;

export type NextCompactionState = NextTaskState<CompactionCheckpoint, CompactionResult>;

type CompactionToken = Task<CompactionInput, CompactionCheckpoint, CompactionResult, CompactionHooks>;

/** Enough of `pi.compaction` to create one; its phases live in `task.ts`. */
export const compactionIdentity = {
	name: "pi.compaction",
	version: 1,
	initial: (): CompactionCheckpoint => ({ phase: "select" }),
} satisfies Partial<TaskDefinition<CompactionInput, CompactionCheckpoint, CompactionResult, CompactionHooks>>;

export const NewCompaction = { definition: compactionIdentity } as unknown as CompactionToken;

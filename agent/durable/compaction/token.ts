import type { ModelThinkingLevel } from "@earendil-works/pi-ai";
import type { ConversationStreamOptions, ModelRef } from "../types/agent.ts";
import type { CompactionHooks } from "../types/extensions.ts";
import type { EntryId } from "../types/ids.ts";
import type { CompactionReason, CompactionResult } from "../types/live.ts";
import type { NextTaskState, RunningTask, Task, TaskDefinition, TaskRuntime } from "../types/tasks.ts";

export type CompactionInput = {
	readonly reason: CompactionReason;
	/** What a person wants the summary to dwell on. */
	readonly instructions?: string;
};

/** The request for a summary, fixed when its range was chosen: every attempt sends the same. */
export type SummaryRequest = {
	readonly attempt: number;
	/** How often it went on after waits that a provider imposed; they spend no attempt. */
	readonly resumptions?: number;
	/** Its waits for the network: how many, and how long all together, in ms. */
	readonly offline?: { readonly waits: number; readonly waitedMs: number };
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

export type CompactionCheckpoint =
	| { readonly phase: "select" }
	| ({ readonly phase: "summarize" } & SummaryRequest)
	| ({
			readonly phase: "retry";
			readonly until: number;
			/** What the wait was meant to be, in ms; no clock makes it longer. */
			readonly lengthMs: number;
	  } & SummaryRequest);

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

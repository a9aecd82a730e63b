import type { ModelThinkingLevel } from "@earendil-works/pi-ai";
import { type Attempts, attemptsOf, type StoredWait } from "../model-request/attempts.ts";
import type { ConversationStreamOptions, ModelRef } from "../types/agent.ts";
import type { GenerationHooks } from "../types/extensions.ts";
import type { EntryId, SubmissionId, TaskId } from "../types/ids.ts";
import type { CompactionResult } from "../types/live.ts";
import type { Task, TaskDefinition } from "../types/tasks.ts";
import type { ToolTaskResult } from "../types/tools.ts";

export type GenerationCheckpoint =
	| ({
			readonly phase: "prepare";
			/** The blocking compaction this generation waited for. */
			readonly compacted?: TaskId<CompactionResult>;
			/** The error that started it. */
			readonly overflow?: string;
	  } & Attempts)
	| ({
			readonly phase: "request";
			readonly compacted?: TaskId<CompactionResult>;
			readonly model: ModelRef;
			readonly thinkingLevel: ModelThinkingLevel;
			readonly streamOptions: ConversationStreamOptions;
			/** Newest entry that the request includes. */
			readonly cutoff: EntryId;
	  } & Attempts)
	| ({
			/** Sleeps, then prepares again with the attempts given here. */
			readonly phase: "retry";
			readonly compacted?: TaskId<CompactionResult>;
			/** What the wait is for; another choice ends it. */
			readonly model?: ModelRef;
	  } & Attempts &
			StoredWait)
	| {
			/** Waits for the round's tool tasks. */
			readonly phase: "tools";
			readonly assistant: EntryId;
			readonly tools: TaskId<ToolTaskResult>[];
			/** Calls of a sequential round that haven't started, in call order. */
			readonly pending: string[];
	  };

/** What a run's checkpoints hand on to each other whatever the phase. */
export type CarriedOn = Attempts & { readonly compacted?: TaskId<CompactionResult> };

export function carriedOn(checkpoint: CarriedOn): CarriedOn {
	const { compacted } = checkpoint;
	return { ...attemptsOf(checkpoint), ...(compacted === undefined ? {} : { compacted }) };
}

/** The run it works for, named by the input that started it. */
export type GenerationInput = { run: SubmissionId };
export type GenerationResult = { entryId: EntryId };

type GenerationToken = Task<GenerationInput, GenerationCheckpoint, GenerationResult, GenerationHooks>;

/** Enough of `pi.generation` to create one; its phases live in `task.ts`, and themselves create successors. */
export const generationIdentity = {
	name: "pi.generation",
	version: 1,
	initial: (): GenerationCheckpoint => ({ phase: "prepare", attempt: 1 }),
} satisfies Partial<TaskDefinition<GenerationInput, GenerationCheckpoint, GenerationResult, GenerationHooks>>;

export const NewGeneration = { definition: generationIdentity } as unknown as GenerationToken;

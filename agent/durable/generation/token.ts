import type { ModelThinkingLevel } from "@earendil-works/pi-ai";
import type { ConversationStreamOptions, ModelRef } from "../types/agent.ts";
import type { GenerationHooks } from "../types/extensions.ts";
import type { EntryId, SubmissionId, TaskId } from "../types/ids.ts";
import type { AccountLimit } from "../types/limits.ts";
import type { CompactionResult } from "../types/live.ts";
import type { Task, TaskDefinition } from "../types/tasks.ts";
import type { ToolTaskResult } from "../types/tools.ts";

/** How often the run was tried: attempts spend the retry policy, resumptions follow waits that weren't its fault. */
export type Attempts = {
	readonly attempt: number;
	readonly resumptions?: number;
	/** The waits for the network since an answer last came: how many, and how long all together, in ms. */
	readonly offline?: { readonly waits: number; readonly waitedMs: number };
	/** The newest limit that it has waited for, or that a person lets it try in spite of. */
	readonly waitedFor?: AccountLimit;
};

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
			readonly until: number;
			/** What the wait was meant to be, in ms; no clock makes it longer. */
			readonly lengthMs: number;
			/** The limit that it waits for. */
			readonly limit?: AccountLimit;
			/** What the wait is for; another choice ends it. */
			readonly model?: ModelRef;
	  } & Attempts)
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
	const { attempt, resumptions, offline, waitedFor, compacted } = checkpoint;
	return {
		attempt,
		...(resumptions === undefined ? {} : { resumptions }),
		...(offline === undefined ? {} : { offline }),
		...(waitedFor === undefined ? {} : { waitedFor }),
		...(compacted === undefined ? {} : { compacted }),
	};
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

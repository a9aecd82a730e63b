import type { GenerationHooks } from "../types/extensions.ts";
import type { EntryId } from "../types/ids.ts";
import type { NextTaskState, RunningTask, TaskRuntime } from "../types/tasks.ts";
import type { GenerationCheckpoint, GenerationInput, GenerationResult } from "./token.ts";

export type GenerationRuntime = TaskRuntime<
	GenerationInput,
	GenerationCheckpoint,
	GenerationResult,
	GenerationHooks
>;

export type GenerationTaskIn<P extends GenerationCheckpoint["phase"]> = RunningTask<
	GenerationInput,
	Extract<GenerationCheckpoint, { phase: P }>,
	GenerationResult
>;

export type NextGenerationState = NextTaskState<GenerationCheckpoint, GenerationResult>;

export function at(checkpoint: GenerationCheckpoint): NextGenerationState {
	return { status: "running", checkpoint };
}

export function completed(entryId: EntryId): NextGenerationState {
	return { status: "terminal", outcome: { status: "completed", result: { entryId } } };
}

export function failed(message: string, entryId?: EntryId): NextGenerationState {
	return {
		status: "terminal",
		outcome: {
			status: "failed",
			error: { message },
			...(entryId === undefined ? {} : { result: { entryId } }),
		},
	};
}

import type { ToolHooks } from "../types/extensions.ts";
import type { RunningTask, TaskRuntime } from "../types/tasks.ts";
import type { ToolTaskCheckpoint, ToolTaskInput, ToolTaskResult } from "../types/tools.ts";

export type ToolRuntime = TaskRuntime<ToolTaskInput, ToolTaskCheckpoint, ToolTaskResult, ToolHooks>;

export type ToolTaskIn<P extends ToolTaskCheckpoint["phase"]> = RunningTask<
	ToolTaskInput,
	Extract<ToolTaskCheckpoint, { phase: P }>,
	ToolTaskResult
>;

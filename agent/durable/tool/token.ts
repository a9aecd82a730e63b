import type { ToolHooks } from "../types/extensions.ts";
import type { Task } from "../types/tasks.ts";
import type { ToolTaskCheckpoint, ToolTaskInput, ToolTaskResult } from "../types/tools.ts";

/** Enough of `pi.tool` to create one; its phases live in `task.ts`. */
export const toolIdentity = {
	name: "pi.tool",
	version: 1,
	initial: (): ToolTaskCheckpoint => ({ phase: "call" }),
};

export const NewTool = { definition: toolIdentity } as unknown as Task<
	ToolTaskInput,
	ToolTaskCheckpoint,
	ToolTaskResult,
	ToolHooks
>;

import { CompactionTask } from "../compaction/task.ts";
import { GenerationTask } from "../generation/task.ts";
import { ToolTask } from "../tool/task.ts";
import type { Registry } from "../types/extensions.ts";
import type { AnyTask } from "../types/tasks.ts";
import type { ToolRegistration } from "../types/tools.ts";
import { createRegistryWith } from "./registry.ts";

export const BUILT_IN_TASKS = [GenerationTask, ToolTask, CompactionTask] as readonly AnyTask[];

/** The extensions of this process, none at first. The built-in tasks are always there. */
export function createRegistry<Tool extends ToolRegistration = ToolRegistration>(): Registry<Tool> {
	return createRegistryWith<Tool>(BUILT_IN_TASKS);
}

import { defineExtension, type Extension } from "../../durable/index.ts";
import { createBackgroundTask } from "./background.ts";
import type { SubagentLimits } from "./budget.ts";
import type { SpendSource } from "./spend.ts";
import { createSubagentTool } from "./tool.ts";

export type { Budget, SubagentLimits } from "./budget.ts";
export { SubagentDoc, type SubagentState } from "./document.ts";
export { readReport } from "./report.ts";
export type { SubagentDetails } from "./tool.ts";

export type SubagentsOptions = {
	/** Where spend is read. Called when a subagent runs, so that the harness may be opened with this extension. */
	readonly source: () => SpendSource;
	/** Read at each call. */
	readonly limits: () => SubagentLimits;
};

/** The extension `subagents`: the tool, and the task that sees a subagent through in the background. */
export function createSubagents({ source, limits }: SubagentsOptions): Extension {
	const background = createBackgroundTask(source);
	return defineExtension({
		name: "subagents",
		tools: [createSubagentTool({ source, limits, background }) as never],
		tasks: [background],
	});
}

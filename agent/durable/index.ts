/** The durable harness. Its README says what it is and how to use it. */
export { type Clock, systemClock } from "./clock.ts";
export { SUMMARY_OPENING, SUMMARY_SYSTEM_PROMPT, unwrapSummary } from "./compaction/prompt.ts";
export { CompactionTask } from "./compaction/task.ts";
export * from "./errors.ts";
export { watchEvents } from "./events/watch-events.ts";
export { GenerationTask } from "./generation/task.ts";
export {
	AgentDoc,
	InboxDoc,
	LiveDoc,
	ProviderDoc,
	ResumeDoc,
	UsageDoc,
} from "./harness/built-in-documents.ts";
export {
	AssistantEntry,
	CompactionEntry,
	ResetEntry,
	resetDraft,
	SystemEntry,
	ToolResultEntry,
	UserEntry,
} from "./harness/built-in-entries.ts";
export { configure } from "./harness/configure.ts";
export { createRegistry } from "./harness/create-registry.ts";
export { Harness } from "./harness/harness.ts";
export { defineExtension, hook, section, wrapSection, wrapTool } from "./harness/registry.ts";
export { type FailureCause, failureCause } from "./model-request/failure-cause.ts";
export { createNetwork } from "./network/network.ts";
export { diff } from "./session/diff.ts";
export { MemoryStorage } from "./storage/memory.ts";
export { ToolTask } from "./tool/task.ts";
export { defineDoc, defineDocFamily } from "./types/documents.ts";
export { defineEntry } from "./types/entries.ts";
export { ROOT_CONVERSATION_ID } from "./types/ids.ts";
export type * from "./types/index.ts";
export { defineTask } from "./types/tasks.ts";
export { defineTool } from "./types/tools.ts";

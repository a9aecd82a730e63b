/** What watches and pages carry, as plain JSON. Times are in ms since the epoch; ids are opaque strings. */
export type {
	AssistantEntry,
	Diagnostic,
	ImageReference,
	SystemEntry,
	Thinking,
	ToolCall,
	ToolResultEntry,
	UserEntry,
	WireEntry,
} from "./views/entry.ts";
export type { Health, HealthProblem } from "./views/health.ts";
export type { ImposedWait, LiveTool, LiveView, PartialAnswer } from "./views/live.ts";
export type { SessionListView } from "./views/session-list-view.ts";
export type { PendingRequest, SessionState, SessionSummary } from "./views/session-summary.ts";
export type {
	AgentView,
	BackgroundProcess,
	InboxItem,
	SessionView,
	Submission,
	TaskNode,
} from "./views/session-view.ts";
export type { Spend, UsageView } from "./views/usage.ts";

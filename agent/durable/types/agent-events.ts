import type { Context } from "@earendil-works/chord";
import type { AssistantMessage, Message, Usage } from "@earendil-works/pi-ai";
import type { AgentState } from "./agent.ts";

import type { EntryRecord } from "./entries.ts";
import type { SubmissionId, TaskId } from "./ids.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { CompactionReason, CompactionStatus, ToolSlot, UsageState } from "./live.ts";
import type { WatchEnd } from "./session.ts";
import type { InboxItem, SubmissionRecord } from "./submissions.ts";
import type { ToolDiagnostic } from "./tools.ts";

type Block = AssistantMessage["content"][number];
type QueuedItem = { readonly id: SubmissionId; readonly mode: InboxItem["mode"] };

/** Everything a consumer holds; it replaces whatever came before. */
export type AgentSnapshot = {
	readonly type: "snapshot";
	/** The active transcript: the head marker, then the plain entries from its head on. */
	readonly entries: readonly EntryRecord[];
	readonly run?: { readonly inputs: readonly SubmissionId[] };
	/** The attempt that is going on: its answer so far, its wait, or its next poll. */
	readonly generation?: {
		readonly attempt: number;
		readonly message?: AssistantMessage;
		readonly retry?: { readonly at: number; readonly error: string };
		readonly deferred?: { readonly pollAt: number };
	};
	readonly tools: readonly ToolSlot[];
	readonly compactions: readonly CompactionStatus[];
	readonly inbox: readonly QueuedItem[];
	readonly agent: AgentState;
	readonly usage: UsageState;
};

/** What happened in one conversation, on top of a snapshot and the events before it. Experimental. */
export type AgentEvent =
	| AgentSnapshot
	| { readonly type: "run_start"; readonly inputs: readonly SubmissionId[] }
	| { readonly type: "run_end"; readonly inputs: readonly SubmissionId[] }
	| { readonly type: "turn_start" }
	| { readonly type: "turn_end" }
	| { readonly type: "message_start"; readonly message: Message }
	| { readonly type: "message_update"; readonly usage: Usage; readonly changes: readonly MessageChange[] }
	| { readonly type: "message_end"; readonly entry: EntryRecord }
	| {
			readonly type: "tool_execution_start";
			readonly toolCallId: string;
			readonly toolName: string;
			readonly args: JsonObject;
	  }
	| {
			readonly type: "tool_execution_update";
			readonly toolCallId: string;
			readonly toolName: string;
			/** What the retained window lost at its front and then gained at its end, or its replacement. */
			readonly output?: OutputChange;
			/** Null when they were taken away. */
			readonly details?: JsonValue;
			readonly diagnostics?: readonly ToolDiagnostic[];
	  }
	/** Without an entry when the call's task broke. */
	| {
			readonly type: "tool_execution_end";
			readonly toolCallId: string;
			readonly toolName: string;
			readonly entry?: EntryRecord;
	  }
	| { readonly type: "inbox_update"; readonly items: readonly QueuedItem[] }
	| { readonly type: "submission"; readonly record: SubmissionRecord }
	| {
			readonly type: "auto_retry_start";
			readonly attempt: number;
			readonly at: number;
			readonly errorMessage: string;
	  }
	| { readonly type: "auto_retry_end"; readonly attempt: number }
	| { readonly type: "deferred_poll"; readonly pollAt: number }
	/** An entry that the model is shown nothing of. */
	| { readonly type: "entry_appended"; readonly entry: EntryRecord }
	| { readonly type: "agent_changed"; readonly agent: AgentState }
	| { readonly type: "usage_changed"; readonly usage: UsageState }
	| { readonly type: "task_failed"; readonly taskId: TaskId; readonly kind: string; readonly message: string }
	| {
			readonly type: "compaction_start";
			readonly taskId: TaskId;
			readonly reason: CompactionReason;
			readonly blocking: boolean;
	  }
	| { readonly type: "compaction_end"; readonly taskId: TaskId; readonly reason: CompactionReason };

export type OutputChange =
	| { readonly trimStart?: number; readonly append?: string; readonly set?: never }
	| { readonly set: string; readonly trimStart?: never; readonly append?: never };

/** One change of the answer that is being written, relative to it. */
export type MessageChange =
	| {
			readonly type: "text_start" | "thinking_start" | "toolcall_start";
			readonly contentIndex: number;
			readonly block: Block;
	  }
	| { readonly type: "text_delta" | "thinking_delta"; readonly contentIndex: number; readonly delta: string }
	/** `path` leads from the call's arguments to the text that grew. */
	| {
			readonly type: "toolcall_delta";
			readonly contentIndex: number;
			readonly path: readonly (string | number)[];
			readonly delta: string;
	  }
	/** The block as it is now: it changed in another way. */
	| { readonly type: "block"; readonly contentIndex: number; readonly block: Block }
	| { readonly type: "message"; readonly message: AssistantMessage };

export interface AgentEventStream {
	/** What there was at attachment. */
	readonly snapshot: AgentSnapshot;
	/** Installs the one listener: one call for each commit that says something, never two at a time. */
	start(listener: (events: readonly AgentEvent[], context: Context) => Promise<void>): void;
	stop(): Promise<WatchEnd>;
	readonly closed: Promise<WatchEnd>;
}

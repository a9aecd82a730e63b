import type { Cut } from "../cut.ts";
import type { JsonValue } from "../json.ts";
import type { RetryCause } from "../retry-cause.ts";
import type { Diagnostic, Thinking, ToolCall } from "./entry.ts";
import type { Spend } from "./usage.ts";

/** The answer so far. A call whose arguments are still coming is in `toolCalls` with what could be read of them. */
export type PartialAnswer = { text: string; cut?: Cut; thinking?: Thinking; toolCalls?: ToolCall[] };

/** One call of the current tool round, in call order; its arguments stand in the entry that calls. */
export type LiveTool = {
	callId: string;
	name: string;
	status: "pending" | "running" | "done";
	startedAt?: number;
	/** Its output as a terminal would show it now, within the size a view may have. */
	output: string;
	/** How much is left out of `output`; `session.output` has all of it. */
	droppedBytes?: number;
	details?: JsonValue;
	diagnostics?: Diagnostic[];
	/** The process that runs its command. */
	runner?: number;
	/** A subagent's conversation, which can be watched like a session. */
	conversation?: string;
	/** What that subagent and those below it have spent so far. */
	spend?: Spend;
};

/** A wait for an account's limit or for the network, which spends no attempt; it goes on by itself at `until`. */
export type ImposedWait = { for: "limit" | "network"; until: number; error: string };

/** What is going on in a conversation now. */
export type LiveView = {
	/** The run, named by the submission that started it; present exactly while one is going on. */
	run?: { id: string; inputs: string[]; startedAt: number };
	partial?: PartialAnswer;
	/** The wait before the next attempt: `attempt` of `max`, at `at`. */
	retry?: { attempt: number; max: number; at: number; error: string; cause?: RetryCause };
	/** `slot` is the wait for room to run one more model process. */
	waiting?: ImposedWait | { for: "slot" };
	compaction?: {
		reason: "manual" | "threshold" | "overflow";
		/** Whether the next model request waits for it. */
		blocking: boolean;
		retry?: { at: number; error: string; cause?: RetryCause };
		waiting?: ImposedWait | { for: "slot" };
	};
	tools: LiveTool[];
};

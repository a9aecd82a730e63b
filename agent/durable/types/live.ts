import type { JsonRepresentation } from "@earendil-works/chord";
import type { AssistantMessage, Usage } from "@earendil-works/pi-ai";
import type { EntryId, SubmissionId, TaskId } from "./ids.ts";
import type { JsonValue } from "./json.ts";
import type { ToolDiagnostic } from "./tools.ts";

export type CompactionReason = "manual" | "threshold" | "overflow";

export type CompactionResult = { entryId?: EntryId; submissionId?: SubmissionId };

/** A wait that isn't the request's fault and spends no attempt: for an account's limit, or for the network. */
export type ImposedWait = { reason: "limit" | "network"; at: number; error: string; resumptions: number };

/** A wait for room to send the request from, since this time. */
export type SlotWait = { reason: "slot"; since: number };

export type CompactionStatus = {
	taskId: TaskId<CompactionResult>;
	reason: CompactionReason;
	/** Whether a generation waits for it. */
	blocking: boolean;
	attempt: number;
	/** The wait before the next attempt. */
	retry?: { at: number; error: string };
	waiting?: ImposedWait | SlotWait;
};

/** One call of the current tool round. */
export type ToolSlot = {
	callId: string;
	name: string;
	/** Absent for a call not started yet, and for one its request didn't offer. */
	taskId?: TaskId;
	status: "pending" | "running" | "done";
	output?: string;
	droppedBytes?: number;
	droppedLines?: number;
	details?: JsonValue;
	diagnostics?: ToolDiagnostic[];
	/** Its result, once done; absent when the tool's task broke. */
	entry?: EntryId;
};

/** The document `pi.live`: what is going on, for anyone who comes late. */
export type LiveState = {
	/** Present exactly while the conversation is busy. */
	run?: { taskId: TaskId; inputs: SubmissionId[] };
	generation?: {
		attempt: number;
		/** The answer so far. */
		message?: JsonRepresentation<AssistantMessage>;
		/** The wait before the next attempt. */
		retry?: { at: number; error: string };
		waiting?: ImposedWait | SlotWait;
		deferred?: { pollAt: number };
	};
	/** In call order, from the answer that calls until the round is over. */
	tools?: ToolSlot[];
	compactions?: CompactionStatus[];
};

/** The document `pi.usage`: what the conversation itself spent. */
export type UsageState = {
	/** By `provider/modelId`. */
	models: Record<string, Usage>;
	/** By tool name. */
	tools: Record<string, Usage>;
};

/** The document `pi.resume`: exists while a conversation was resumed and has not got on since. */
export type ResumeState = {
	/** How often a process took the conversation up again without a new commit of its work. */
	resumes: number;
	/** Set when resuming is left to a person. */
	parked?: { at: number; reason: string };
};

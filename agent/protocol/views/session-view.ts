import type { Cut } from "../cut.ts";
import type { QueueMode, SessionMode, ThinkingLevel } from "../modes.ts";
import type { ImageReference, WireEntry } from "./entry.ts";
import type { LiveView } from "./live.ts";
import type { PendingRequest, SessionSummary } from "./session-summary.ts";
import type { Spend, UsageView } from "./usage.ts";

/** What waits to be handed to the model, oldest first. A `write` is an entry someone adds; it never asks the model. */
export type InboxItem = {
	submission: string;
	text: string;
	cut?: Cut;
	mode: QueueMode | "write";
	/** Of a `write`: the kind of the entry. `pi.reset` starts a new context. */
	kind?: string;
	images?: ImageReference[];
};

/** Where a message is: waiting, with the model, answered, or given up. `entry` and `answer` are entry ids. */
export type Submission =
	| { submission: string; status: "queued" }
	| { submission: string; status: "placed"; entry: string }
	| { submission: string; status: "done"; entry: string; answer: string }
	| { submission: string; status: "unanswered"; entry?: string; reason: string };

/** One task and what it owns, running ones and those that ended in the current run. */
export type TaskNode = {
	id: string;
	kind: "generation" | "tool" | "compaction" | "other";
	/** For people: the tool's name, or the task's. */
	name: string;
	status: "pending" | "running" | "waiting" | "completing" | "done" | "failed" | "aborted";
	/** It goes on when its run ends or is stopped. */
	background: boolean;
	startedAt?: number;
	endedAt?: number;
	callId?: string;
	/** A subagent's conversation, which can be watched like a session. */
	conversation?: string;
	spend?: Spend;
	children: TaskNode[];
};

/** What answers in this conversation. */
export type AgentView = {
	/** `provider/model`; null when none is chosen and the host has no default. */
	model: string | null;
	thinkingLevel: ThinkingLevel;
	tools: string[];
	cwd: string;
	mode: SessionMode;
};

/** A process that a finished call left running. `session.stop` with `call` ends those of one call. */
export type BackgroundProcess = { call: string; pid: number; command: string; startedAt: number };

/** What `session.watch` carries: the newest entries of one conversation, and everything about it that changes. */
export type SessionView = {
	session: SessionSummary;
	/** Oldest first, at most `tail` of them. */
	entries: WireEntry[];
	/** Whether `session.entries` has any before the first of `entries`. */
	hasOlder: boolean;
	live: LiveView;
	inbox: InboxItem[];
	/** The newest messages and where each is, newest last, at most 50: who waits for an answer looks here. */
	submissions: Submission[];
	usage: UsageView;
	requests: PendingRequest[];
	tasks: TaskNode[];
	agent: AgentView;
	/** Resuming ended the agent several times, so it is left to a person. */
	parked?: { at: number; reason: string };
	background: BackgroundProcess[];
};

import type { SessionMode } from "../modes.ts";
import type { RetryCause } from "../retry-cause.ts";

/** A question that waits for a person; `session.answer` settles it. */
export type PendingRequest = {
	id: string;
	/** A question of the model, a call that awaits approval, or a stop that only a person clears. */
	kind: "question" | "approval" | "stop";
	text: string;
	/** What can be chosen; empty when a text is asked for. */
	choices: { id: string; label: string }[];
	/** The call it is about. */
	call?: string;
	/** The subagent's conversation it is about. */
	conversation?: string;
	at: number;
};

type InBackground = { background?: true };

export type SessionState =
	| { kind: "idle" }
	/**
	 * In the `background`: subagents are at work (too) that a stop of the session's run doesn't reach; one with
	 * `background` does.
	 */
	| ({ kind: "running"; since: number } & InBackground)
	/** It goes on by itself at `until`. */
	| ({ kind: "waiting"; for: "limit" | "network"; until: number } & InBackground)
	| ({ kind: "waiting"; for: "retry"; until: number; cause?: RetryCause } & InBackground)
	/** It goes on when there is room to run one more model process. */
	| ({ kind: "waiting"; for: "slot" } & InBackground)
	| { kind: "needs_you"; request: PendingRequest }
	| { kind: "failed"; reason: string };

/** One session as lists show it. Times are in ms since the epoch. */
export type SessionSummary = {
	id: string;
	title: string;
	/** Its working directory, absolute. */
	directory: string;
	/** The project's folder, absolute and resolved. */
	project: string;
	state: SessionState;
	/** `provider/model`; null when none is chosen and the host has no default. */
	model: string | null;
	mode: SessionMode;
	createdAt: number;
	updatedAt: number;
	/** Something came since a person last read. */
	unread: boolean;
	archived: boolean;
	/** What it does now: a sentence fragment ("bash", "thinking"), and the tool it is about. */
	activity?: { text: string; tool?: string; since: number };
	/** The beginning of its newest answer. */
	preview?: string;
	/** How its newest run ended. `run` is that run's id, so that each end can be announced once. */
	lastRun?: { run: string; outcome: "answered" | "failed" | "stopped"; endedAt: number };
	/** Of a fork: the session it was made from, up to and including that entry. */
	forkedFrom?: { session: string; entry: string };
	/** The session and call a subagent's conversation belongs to. */
	parent?: { session: string; call: string };
};

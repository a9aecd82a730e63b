import type { ConversationId, LiveState, ResumeState, SubmissionId, TaskId } from "../../durable/index.ts";

/**
 * What goes on in a conversation: a session's own, or a subagent's below it. Values that come from commits are immutable
 * and shared with the harness.
 */
export type Work = {
	live: LiveState;
	/** The run that is going on, and the commit time of the input that started it. */
	run: { readonly id: SubmissionId; readonly since: number } | undefined;
	/** When the run's tasks started, those that have and are alive. */
	startedAt: ReadonlyMap<TaskId, number>;
	parked: ResumeState["parked"];
};

/** What goes on below a session, by the conversation it goes on in; in those that are left out, nothing does. */
export type Below = ReadonlyMap<ConversationId, Readonly<Work>>;

export const NONE_STARTED: ReadonlyMap<TaskId, number> = new Map();
export const NOTHING_BELOW: Below = new Map();

export function noWork(): Work {
	return { live: {}, run: undefined, startedAt: NONE_STARTED, parked: undefined };
}

/** Whether a conversation has a run, or waits for a person. */
export function isAtWork({ run, parked }: Work): boolean {
	return run !== undefined || parked !== undefined;
}

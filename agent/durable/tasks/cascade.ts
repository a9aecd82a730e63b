import type { ConversationId, TaskId } from "../types/ids.ts";
import type { AnyTaskRecord, TaskOutcome } from "../types/tasks.ts";
import { isCancelled, type LiveTasks } from "./live-tasks.ts";

export function markAborted(record: AnyTaskRecord): AnyTaskRecord {
	return { ...record, abortRequested: true };
}

/** The record with its outcome decided; checkpoint and memos go. */
export function withOutcome(
	record: AnyTaskRecord,
	outcome: TaskOutcome<never> | TaskOutcome<unknown>,
	status: "completing" | "terminal",
): AnyTaskRecord {
	const { memos: _, ...rest } = record;
	return { ...rest, state: { status, outcome } } as AnyTaskRecord;
}

/** An owner that is to end takes its ordinary owned work with it. */
export function marksFromAbove(liveTasks: LiveTasks): {
	readonly marks: Set<TaskId>;
	readonly cancelled: ReadonlySet<TaskId>;
} {
	const marks = new Set<TaskId>();
	const cancelled = new Set<TaskId>();
	for (const { record } of liveTasks.live.values()) if (isCancelled(record)) cancelled.add(record.id);
	if (cancelled.size === 0) return { marks, cancelled };
	for (const { record, ancestry } of liveTasks.live.values()) {
		if (record.abortRequested) continue;
		if (ancestry.ordinary.tasks.some((id) => cancelled.has(id))) marks.add(record.id);
	}
	return { marks, cancelled };
}

/**
 * Where something lives below these tasks, in conversations other than their own; also below owners that have ended,
 * as where someone goes on talking to a finished subagent.
 */
export function conversationsBelow(liveTasks: LiveTasks, tasks: ReadonlySet<TaskId>): Set<ConversationId> {
	const below = new Set<ConversationId>();
	for (const { record, ancestry } of liveTasks.live.values())
		for (const id of ancestry.ordinary.tasks)
			if (tasks.has(id) && liveTasks.live.get(id)?.record.conversationId !== record.conversationId)
				below.add(record.conversationId);
	return below;
}

/** Under `failFast`, one task that didn't complete ends the others that are waited for with it. */
export function failFastMarks(liveTasks: LiveTasks): TaskId[] {
	const marks: TaskId[] = [];
	for (const { record } of liveTasks.live.values()) {
		if (record.state.status !== "waiting" || record.state.policy !== "failFast") continue;
		const { on } = record.state;
		if (!on.some((id) => liveTasks.failed(id))) continue;
		for (const id of on) {
			const other = liveTasks.live.get(id)?.record;
			if (other !== undefined && !other.abortRequested && other.state.status !== "completing") marks.push(id);
		}
	}
	return marks;
}

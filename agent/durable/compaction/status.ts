import { liveOf } from "../harness/run.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import type { CompactionResult, CompactionStatus } from "../types/live.ts";
import type { Tx } from "../types/session.ts";
import type { TaskOwnership } from "../types/tasks.ts";
import { type CompactionInput, NewCompaction } from "./token.ts";

/** Starts a compaction and shows it in `pi.live`, in this commit. One that a task owns is what its generation waits for. */
export async function startCompaction(
	tx: Tx,
	conversationId: ConversationId,
	input: CompactionInput,
	options: { readonly ownership: TaskOwnership; readonly background?: boolean },
): Promise<TaskId<CompactionResult>> {
	const taskId = await tx.createTask(NewCompaction, input, { ...options, conversationId });
	const blocking = options.ownership.kind === "task";
	const live = await liveOf(tx, conversationId);
	live.compactions ??= [];
	live.compactions.push({ taskId, reason: input.reason, blocking, attempt: 1 });
	return taskId;
}

/** What `pi.live` says of a compaction, to be changed in this commit. */
export async function statusOf(
	tx: Tx,
	conversationId: ConversationId,
	taskId: TaskId,
): Promise<CompactionStatus | undefined> {
	const live = await liveOf(tx, conversationId);
	return live.compactions?.find((status) => status.taskId === taskId);
}

/** The compaction is decided: it is not shown any more. */
export async function removeStatus(tx: Tx, conversationId: ConversationId, taskId: TaskId): Promise<void> {
	const live = await liveOf(tx, conversationId);
	const at = live.compactions?.findIndex((status) => status.taskId === taskId) ?? -1;
	if (at === -1) return;
	live.compactions!.splice(at, 1);
	if (live.compactions!.length === 0) delete live.compactions;
}

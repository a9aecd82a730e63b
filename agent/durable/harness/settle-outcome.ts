import type { Context } from "@earendil-works/chord";
import { removeStatus } from "../compaction/status.ts";
import { compactionIdentity } from "../compaction/token.ts";
import { generationIdentity } from "../generation/token.ts";
import type { InternalTx } from "../session/transaction.ts";
import { endSlot, slotOf } from "../tool/progress.ts";
import { toolIdentity } from "../tool/token.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import type { Cursor, Storage } from "../types/storage.ts";
import type { InboxItem } from "../types/submissions.ts";
import type { AnyTaskRecord, TaskOutcome } from "../types/tasks.ts";
import { withdraw } from "./admission.ts";
import { endRun, keepPartial, liveOf } from "./run.ts";

/**
 * Cleans up after a built-in task that ended without deciding so itself: a fault in its code, or an abort while its
 * code was missing. The run it was responsible for ends; a tool's slot is done without a result, a
 * compaction isn't shown any more.
 */
export async function settleUndecided(
	tx: InternalTx,
	record: AnyTaskRecord,
	outcome: TaskOutcome<unknown>,
): Promise<void> {
	const { conversationId, id, kind } = record;
	if (kind === toolIdentity.name) {
		const slot = slotOf(await liveOf(tx, conversationId), id);
		if (slot === undefined) return;
		endSlot(slot);
	}
	if (kind === compactionIdentity.name) return removeStatus(tx, conversationId, id);
	if (kind !== generationIdentity.name) return;
	const live = await liveOf(tx, conversationId);
	if (live.run?.taskId !== id) return;
	await keepPartial(tx, conversationId);
	await endRun(
		tx,
		conversationId,
		outcome.status === "faulted"
			? { status: "unanswered", reason: "faulted", detail: brokeOff(outcome.error.message) }
			: { status: "unanswered", reason: outcome.status === "orphaned" ? outcome.reason : "aborted" },
	);
}

/** What a person reads of a run that broke: what it was, and what to do. */
function brokeOff(message: string): string {
	const what = /[.!?]$/.test(message) ? message : `${message}.`;
	return `The run broke off: ${what} Put that right, then send the message again.`;
}

/** An abort that reaches a conversation from above takes its queued inputs back; queued writes stay. */
export async function withdrawBelow(
	tx: InternalTx,
	cancelled: ReadonlySet<TaskId>,
	reached: ReadonlySet<ConversationId>,
	storage: Storage,
	context: Context,
): Promise<void> {
	const isInput = (item: InboxItem) => item.mode !== "write";
	for (const ownerTaskId of cancelled) {
		let cursor: Cursor | undefined;
		do {
			const page = await storage.scanConversations({ ownerTaskId }, 100, cursor, context);
			for (const { id } of page.items) await withdraw(tx, id, isInput);
			cursor = page.next;
		} while (cursor !== undefined);
	}
	for (const id of reached) await withdraw(tx, id, isInput);
}

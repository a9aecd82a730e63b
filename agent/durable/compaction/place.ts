import type { Context } from "@earendil-works/chord";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { crashPoint } from "../crash-points.ts";
import { admit } from "../harness/admission.ts";
import { CompactionEntry } from "../harness/built-in-entries.ts";
import { addModelUsage } from "../harness/usage.ts";
import type { InternalTx } from "../session/transaction.ts";
import type { EntryId } from "../types/ids.ts";
import type { CompactionResult } from "../types/live.ts";
import type { Tx } from "../types/session.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";
import { wrapSummary } from "./prompt.ts";
import { removeStatus } from "./status.ts";
import type { CompactionInput, CompactionRuntime } from "./token.ts";

/**
 * Puts a summary in the place of what it summarizes, and ends the compaction, in one commit. The run of a generation
 * that owns it stands still, so its summary goes straight into the transcript; any other one is submitted like a
 * write, to be placed at the next boundary unless it has become stale by then.
 */
export async function placeSummary(
	task: Pick<AnyTaskRecord, "owner"> & { readonly input: CompactionInput },
	summary: string,
	firstKept: EntryId,
	runtime: CompactionRuntime,
	context: Context,
	spent?: AssistantMessage,
): Promise<void> {
	const { conversationId, taskId } = runtime;
	crashPoint("compaction:summary", conversationId);
	const draft = {
		head: firstKept,
		model: [
			{
				role: "user" as const,
				content: [{ type: "text" as const, text: wrapSummary(summary) }],
				timestamp: runtime.now(),
			},
		],
		data: { reason: task.input.reason },
	};

	async function place(tx: Tx): Promise<CompactionResult> {
		if (task.owner !== undefined) {
			const entry = await tx.appendEntry(CompactionEntry, conversationId, draft);
			return { entryId: entry.id };
		}
		const requestId = `compaction:${taskId}`;
		const write = { type: "write", requestId, entry: { kind: CompactionEntry.kind, ...draft } } as const;
		const submission = await admit(tx as InternalTx, conversationId, write, runtime.settings, runtime.now());
		return { submissionId: submission.id };
	}

	await runtime.commit(async (tx) => {
		const result = await place(tx);
		if (spent !== undefined) await addModelUsage(tx, conversationId, spent);
		await removeStatus(tx, conversationId, taskId);
		return { status: "terminal", outcome: { status: "completed", result } };
	}, context);
}

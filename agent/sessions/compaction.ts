import { BACKGROUND_CONTEXT, withAbortSignal } from "@earendil-works/chord/context";
import type {
	CompactionResult,
	ConversationId,
	SettledTask,
	SubmissionId,
	SubmissionRecord,
	TaskId,
} from "../durable/index.ts";
import { isDriven, noSession, type Parts } from "./parts.ts";
import { commitOnce, onceRequest } from "./requests.ts";
import { type CompactionEnd, SessionError, type Sessions } from "./service.ts";

/**
 * Compacts a conversation by hand, once, and resolves when it is decided what came of it; while a run is going on,
 * that is at the run's next turn. Rejects with `compaction_failed` when no summary could be made, and with
 * `model_unavailable` when there is no model to make one.
 */
export async function compactSession(
	parts: Parts,
	{ id, instructions, requestId }: Parameters<Sessions["compact"]>[0],
): Promise<CompactionEnd> {
	const { harness } = parts;
	const request =
		requestId === undefined ? undefined : onceRequest(requestId, "session.compact", { id, instructions });
	const { task } = await commitOnce(harness, request, async (tx) => {
		if (!isDriven(parts, id, await tx.conversation(id))) throw noSession(id);
		return { session: id, submission: null, task: await harness.startCompaction(tx, id, instructions) };
	});
	const settled = await harness.waitForTask(task as TaskId<CompactionResult>, BACKGROUND_CONTEXT);
	return endOf(parts, id, settled);
}

async function endOf(
	parts: Parts,
	id: ConversationId,
	{ state }: SettledTask<CompactionResult>,
): Promise<CompactionEnd> {
	const { outcome } = state;
	switch (outcome.status) {
		case "completed": {
			const { submissionId } = outcome.result;
			if (submissionId === undefined) return { outcome: "nothing_to_compact", entry: null };
			const placed = await placedOrIdle(parts.harness, id, submissionId);
			if (placed.status === "unanswered") return { outcome: "stale", entry: null };
			return { outcome: "compacted", entry: placed.status === "done" ? placed.entry : null };
		}
		case "failed": {
			const isModel = (outcome.error.detail as { reason?: unknown } | undefined)?.reason === "no_model";
			throw new SessionError(isModel ? "model_unavailable" : "compaction_failed", outcome.error.message);
		}
		case "aborted":
			throw failed("It was stopped before there was a summary; the conversation is as it was.");
		default:
			throw failed("It broke off before there was a summary; the conversation is as it was. Try again.");
	}
}

/** The summary's write once it is settled, or as it waits when no run is going on any more that would place it. */
async function placedOrIdle(
	harness: Parts["harness"],
	id: ConversationId,
	submissionId: SubmissionId,
): Promise<SubmissionRecord> {
	const submission = (await harness.submission(submissionId, BACKGROUND_CONTEXT))!;
	const conversation = (await harness.conversation(id, BACKGROUND_CONTEXT))!;
	const over = new AbortController();
	const waiting = withAbortSignal(over.signal, BACKGROUND_CONTEXT);
	const waits = [submission.wait(waiting), conversation.waitForIdle(waiting)];
	try {
		await Promise.race(waits);
		return await submission.status(BACKGROUND_CONTEXT);
	} finally {
		over.abort();
		await Promise.allSettled(waits);
	}
}

function failed(message: string): SessionError {
	return new SessionError("compaction_failed", message);
}

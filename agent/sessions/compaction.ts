import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { CompactionResult, SettledTask, TaskId } from "../durable/index.ts";
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
	return endOf(parts, settled);
}

async function endOf(parts: Parts, { state }: SettledTask<CompactionResult>): Promise<CompactionEnd> {
	const { outcome } = state;
	switch (outcome.status) {
		case "completed": {
			const { submissionId } = outcome.result;
			if (submissionId === undefined) return { outcome: "nothing_to_compact", entry: null };
			const submission = await parts.harness.submission(submissionId, BACKGROUND_CONTEXT);
			const placed = await submission!.wait(BACKGROUND_CONTEXT);
			return placed.status === "done"
				? { outcome: "compacted", entry: placed.entry }
				: { outcome: "stale", entry: null };
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

function failed(message: string): SessionError {
	return new SessionError("compaction_failed", message);
}

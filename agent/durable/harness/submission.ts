import type { Context } from "@earendil-works/chord";
import type { SessionCore } from "../session/session.ts";
import type { Waiters } from "../tasks/waiters.ts";
import type { Submission } from "../types/conversation-handle.ts";
import type { ConversationId, SubmissionId } from "../types/ids.ts";
import type { CommitPublication } from "../types/session.ts";
import type { SettledSubmissionRecord, SubmissionRecord } from "../types/submissions.ts";
import { withdraw } from "./admission.ts";

/** Follows submissions that someone waits for. */
export function createSubmissions(session: SessionCore, waiters: Waiters) {
	/** Settled ones that are waited for, by id; forgotten with their last waiter. */
	const watched = new Map<SubmissionId, { record: SubmissionRecord | undefined; waiters: number }>();

	function committed({ submissions }: CommitPublication): void {
		for (const record of submissions) {
			const entry = watched.get(record.id);
			if (entry !== undefined) entry.record = record;
		}
	}

	async function wait(id: SubmissionId, context: Context): Promise<SettledSubmissionRecord> {
		const entry = watched.get(id) ?? { record: undefined, waiters: 0 };
		watched.set(id, entry);
		entry.waiters++;
		try {
			// A commit may have told of a newer record while this one was being read.
			const stored = await session.storage.submission(id, context);
			entry.record ??= stored;
			if (entry.record === undefined) throw new Error(`Submission ${id} doesn't exist.`);
			if (!isSettled(entry.record)) await waiters.until(() => isSettled(entry.record), context);
			return entry.record as SettledSubmissionRecord;
		} finally {
			entry.waiters--;
			if (entry.waiters === 0) watched.delete(id);
		}
	}

	async function abort(
		id: SubmissionId,
		context: Context,
		conversationId?: ConversationId,
	): Promise<"aborted" | "already_placed" | "settled" | "not_found"> {
		const result = await session.commitInternal(async (tx) => {
			const record = await tx.submission(id);
			if (record === undefined || (conversationId !== undefined && record.conversationId !== conversationId))
				return "not_found";
			if (record.status === "placed") return "already_placed";
			if (record.status !== "queued") return "settled";
			await withdraw(tx, record.conversationId, (item) => item.id === id);
			return "aborted";
		}, context);
		if (result === "aborted") await session.flush(context);
		return result;
	}

	return {
		committed,
		abort,
		/** `guard` throws once the handle may not be used any more; `resume` lets the work be done that is waited for. */
		handle(id: SubmissionId, guard: () => void, resume: () => void): Submission {
			return {
				id,
				async status(context) {
					guard();
					session.assertOpen();
					const record = await session.storage.submission(id, context);
					if (record === undefined) throw new Error(`Submission ${id} doesn't exist.`);
					return record;
				},
				async wait(context) {
					guard();
					resume();
					return wait(id, context);
				},
				async abort(context) {
					guard();
					const result = await abort(id, context);
					return result === "not_found" ? "settled" : result;
				},
			};
		},
	};
}

export type Submissions = ReturnType<typeof createSubmissions>;

function isSettled(record: SubmissionRecord | undefined): boolean {
	return record?.status === "done" || record?.status === "unanswered";
}

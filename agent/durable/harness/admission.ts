import { ConversationBusy, RequestIdReused } from "../errors.ts";
import { copyLooseJson } from "../session/strict-json.ts";
import type { InternalTx } from "../session/transaction.ts";
import type { Settings } from "../types/agent.ts";
import type { ConversationId, SubmissionId } from "../types/ids.ts";
import type { JsonObject } from "../types/json.ts";
import type { InboxState, SubmissionDraft, SubmissionRecord } from "../types/submissions.ts";
import { appendUser, openBoundary } from "./boundary.ts";
import { InboxDoc } from "./built-in-documents.ts";
import { liveOf, startRun } from "./run.ts";

/**
 * Admits a submission in a commit: placed at once when the conversation is idle with nothing waiting, else queued in
 * order. The same `requestId` gives the first submission again. Throws `ConversationBusy` for `reject`, and
 * `RequestIdReused` when the id was used for the other type of submission.
 */
export async function admit(
	tx: InternalTx,
	conversationId: ConversationId,
	draft: SubmissionDraft,
	settings: Settings,
	now: number,
): Promise<SubmissionRecord> {
	const isNew = tx.staged.conversations.has(conversationId);
	if (draft.requestId !== undefined && !isNew) {
		const known = await tx.submissionByRequest(conversationId, draft.requestId);
		if (known !== undefined && known.type !== draft.type) throw new RequestIdReused(draft.requestId);
		if (known !== undefined) return known;
	}
	const live = await liveOf(tx, conversationId);
	const inbox = (await tx.doc(InboxDoc, conversationId)) as InboxState;
	const busy = live.run !== undefined;
	if (busy && draft.type === "input" && draft.whenBusy === "reject")
		throw new ConversationBusy(conversationId);
	const base = {
		conversationId,
		...(draft.requestId === undefined ? {} : { requestId: draft.requestId }),
	};
	if (!busy && inbox.items.length === 0) return placeNow(tx, conversationId, draft, base, now, isNew);

	const head = draft.type === "write" ? draft.entry.head : undefined;
	const boundary = busy ? undefined : await openBoundary(tx, conversationId, settings, now, head);
	const record = await tx.createSubmission({ ...base, type: draft.type, status: "queued" });
	inbox.items.push(queued(record.id, draft));
	if (boundary !== undefined) {
		// Idle with a backlog, as a failed run leaves one: what waits longest goes first.
		const { inputs } = await boundary.place("final");
		if (inputs.length > 0) await startRun(tx, conversationId, inputs);
	}
	return record;
}

async function placeNow(
	tx: InternalTx,
	conversationId: ConversationId,
	draft: SubmissionDraft,
	base: { conversationId: ConversationId; requestId?: string },
	now: number,
	isNew: boolean,
): Promise<SubmissionRecord> {
	if (draft.type === "input") {
		const entry = await appendUser(tx, conversationId, copyLooseJson(draft.content) as never, now);
		const record = await tx.createSubmission({ ...base, type: "input", status: "placed", entry });
		await startRun(tx, conversationId, [record.id]);
		return record;
	}
	const { head } = draft.entry;
	if (typeof head === "number" && !isNew) {
		const start = (await tx.latestHeadMarker(conversationId))?.head;
		if (start !== undefined && head < start)
			return tx.createSubmission({ ...base, type: "write", status: "unanswered", reason: "stale" });
	}
	const entry = await tx.appendEntry(conversationId, draft.entry);
	return tx.createSubmission({ ...base, type: "write", status: "done", entry: entry.id });
}

function queued(id: SubmissionId, draft: SubmissionDraft): InboxState["items"][number] {
	if (draft.type === "write")
		return { id, mode: "write", entry: copyLooseJson(draft.entry) as unknown as JsonObject };
	const mode = draft.whenBusy === "steer" ? "steer" : "followUp";
	return { id, mode, content: copyLooseJson(draft.content) };
}

/** Takes queued items out of the inbox and settles them as withdrawn. Returns whether there was any. */
export async function withdraw(
	tx: InternalTx,
	conversationId: ConversationId,
	matches: (item: InboxState["items"][number]) => boolean,
): Promise<boolean> {
	const inbox = (await tx.doc(InboxDoc, conversationId)) as InboxState;
	const before = inbox.items.length;
	for (let i = inbox.items.length - 1; i >= 0; i--) {
		const item = inbox.items[i]!;
		if (!matches(item)) continue;
		tx.settleSubmission(item.id, { status: "unanswered", reason: "aborted" });
		inbox.items.splice(i, 1);
	}
	return inbox.items.length < before;
}

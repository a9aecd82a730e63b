import type { Context } from "@earendil-works/chord";
import type { ConversationId, SubmissionId } from "./ids.ts";
import type { InputSubmissionDraft, SettledSubmissionRecord, SubmissionRecord } from "./submissions.ts";

/** Something handed to a conversation, to be waited for. */
export interface Submission {
	readonly id: SubmissionId;
	status(context: Context): Promise<SubmissionRecord>;
	/** Resolves when done or unanswered. Cancelling the context ends the wait, never the work. */
	wait(context: Context): Promise<SettledSubmissionRecord>;
	/** Takes back what is still queued. */
	abort(context: Context): Promise<"aborted" | "already_placed" | "settled">;
}

/** What a task or a tool gets of another conversation, for as long as its invocation lives. */
export interface ConversationHandle {
	readonly id: ConversationId;
	submit(submission: InputSubmissionDraft, context: Context): Promise<Submission>;
	abort(context: Context): Promise<void>;
	waitForIdle(context: Context): Promise<void>;
}

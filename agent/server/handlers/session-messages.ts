import { readSessionId, readSubmissionId } from "../ids.ts";
import { wireSubmission } from "../views/submission-view.ts";
import type { HandlerDeps, Handlers } from "./handler.ts";

/** Messages to a session, and what becomes of those that wait. */
export function sessionMessageHandlers({
	sessions,
}: HandlerDeps): Pick<Handlers, "session.send" | "session.edit" | "session.withdraw" | "session.reset"> {
	return {
		"session.send": async ({ session, content, requestId, whenBusy }) => {
			const submission = await sessions.send({
				id: readSessionId(session),
				content,
				requestId,
				...(whenBusy === undefined ? {} : { whenBusy }),
			});
			return wireSubmission(submission);
		},
		"session.edit": async ({ session, submission, content, whenBusy }) => {
			const edited = await sessions.edit({
				id: readSessionId(session),
				submission: readSubmissionId(submission),
				...(content === undefined ? {} : { content }),
				...(whenBusy === undefined ? {} : { whenBusy }),
			});
			return wireSubmission(edited);
		},
		"session.withdraw": async ({ session, submission }) =>
			wireSubmission(await sessions.withdraw(readSessionId(session), readSubmissionId(submission))),
		"session.reset": async ({ session, note, requestId }) => {
			const { id, entry } = await sessions.reset({
				id: readSessionId(session),
				...(note === undefined ? {} : { note }),
				...(requestId === undefined ? {} : { requestId }),
			});
			return { submission: String(id), entry: entry === undefined ? null : String(entry) };
		},
	};
}

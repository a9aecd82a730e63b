import { protocolError, type SessionView, type Submission } from "../../protocol/index.ts";
import { printableLine } from "../output/printable.ts";
import type { Link } from "../reach/link.ts";
import { fetchEntry } from "./whole-entry.ts";

/** How a message ended. */
export type Settled = Extract<Submission, { status: "done" | "unanswered" }>;

/** What `send --wait --json` prints beside the submission, and `new --wait --json` too. */
export type Outcome = { status: "done" | "unanswered"; answer: string; reason?: string };

/** How a message ended, if it has, by a view of its session. */
export function settledIn(view: SessionView, submission: string): Settled | undefined {
	const found = view.submissions.find((each) => each.submission === submission);
	if (found !== undefined)
		return found.status === "done" || found.status === "unanswered" ? found : undefined;
	if (view.inbox.some((each) => each.submission === submission)) return undefined;
	// A view names the newest messages only. Before one that was just sent there are always fewer newer ones.
	throw protocolError(
		"watch_lost",
		"The session has gone on so far that it no longer says what became of this message; see: outlive show",
	);
}

/** The text of the answer, or why there is none. */
export async function outcomeOf(link: Link, session: string, settled: Settled): Promise<Outcome> {
	if (settled.status === "unanswered") return { status: "unanswered", answer: "", reason: settled.reason };
	const { text } = await fetchEntry(link, session, settled.answer);
	return { status: "done", answer: text };
}

/** What a person is told about a message without an answer. A reason may begin with a word for programs. */
export function unansweredWords(reason: string, session: string): string {
	const words = printableLine(reason.replace(/^[a-z_]+: /, ""));
	return `There is no answer (${words}); see: outlive show ${session}`;
}

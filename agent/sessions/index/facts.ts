import type {
	ConversationId,
	EntryId,
	EntryRecord,
	ModelRef,
	SubmissionRecord,
} from "../../durable/index.ts";
import { AssistantEntry, CompactionEntry, ResetEntry, SystemEntry, UserEntry } from "../../durable/index.ts";
import { ModelEntry } from "../model-entry.ts";
import { RestartEntry } from "../restart-entry.ts";
import type { SessionRecord, SessionSnapshot } from "../service.ts";
import { previewOf } from "../text.ts";
import { noWork, type Work } from "./work.ts";

/**
 * All that is kept of a session in memory: what its snapshot is made of, and what the next commit is read against.
 * Values that come from commits are immutable and shared with the harness.
 */
export type SessionFacts = Work & {
	readonly id: ConversationId;
	record: SessionRecord;
	model: ModelRef | undefined;
	newest: { readonly id: EntryId; readonly at: number } | undefined;
	/** The newest entry that is there to be read. */
	toRead: EntryId | undefined;
	/** The newest response of the current run: its answer may be this one, also when a later commit says so. */
	response: { readonly id: EntryId; readonly text: string } | undefined;
	ended: EndedRun | undefined;
	/** The beginning of the newest answer. */
	preview: string;
};

/** How the newest run that is over ended. */
export type EndedRun = NonNullable<SessionSnapshot["lastRun"]> & { readonly failure?: string };

/** What a session starts with, before anything else of the commit that creates it is looked at. */
export function newFacts(id: ConversationId, record: SessionRecord): SessionFacts {
	return {
		id,
		record,
		model: undefined,
		newest: undefined,
		toRead: undefined,
		response: undefined,
		ended: undefined,
		preview: "",
		...noWork(),
	};
}

const UNREAD_BY_NOBODY = new Set<string>(
	[UserEntry, SystemEntry, ResetEntry, CompactionEntry, ModelEntry, RestartEntry].map(({ kind }) => kind),
);

/** Whether an entry brings something to a person: not what they said, not what is for the model alone, no mark. */
export function isToRead({ kind }: EntryRecord): boolean {
	return !UNREAD_BY_NOBODY.has(kind);
}

export function responseOf(entry: EntryRecord): SessionFacts["response"] {
	return AssistantEntry.is(entry) ? { id: entry.id, text: previewOf(entry) } : undefined;
}

/** How a run ended, by the input that started it; undefined while it isn't settled. */
export function endOf(started: SubmissionRecord, endedAt: number): EndedRun | undefined {
	const run = started.id;
	if (started.status === "done") return { run, outcome: "answered", endedAt };
	if (started.status !== "unanswered") return undefined;
	const { reason, detail } = started;
	if (reason === "aborted" || reason === "reset") return { run, outcome: "stopped", endedAt };
	const failure = typeof detail === "string" ? detail : `The run ended without an answer (${reason}).`;
	return { run, outcome: "failed", endedAt, failure };
}

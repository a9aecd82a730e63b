import {
	AgentDoc,
	type AgentState,
	type CommitPublication,
	type ConversationId,
	type DocumentChange,
	GenerationTask,
	LiveDoc,
	type LiveState,
	ResumeDoc,
	type ResumeState,
	type SubmissionId,
	type SubmissionRecord,
	type TaskId,
} from "../../durable/index.ts";
import { SessionDoc } from "../documents.ts";
import type { SessionRecord } from "../service.ts";
import { endOf, isToRead, responseOf, type SessionFacts } from "./facts.ts";
import { NONE_STARTED, type Work } from "./work.ts";

const KINDS = new Set<string>(
	[SessionDoc, AgentDoc, LiveDoc, ResumeDoc].map(({ definition }) => definition.kind),
);
const GENERATION = GenerationTask.definition.name;

/** The conversations that a commit says something of which a session's snapshot may depend on. */
export function touchedBy({ documents, entries, tasks }: CommitPublication): Set<ConversationId> {
	const touched = new Set<ConversationId>();
	for (const { record } of documents)
		if (record.scope.kind === "conversation" && KINDS.has(record.kind))
			touched.add(record.scope.conversationId);
	for (const { conversationId } of entries) touched.add(conversationId);
	for (const { conversationId } of tasks) touched.add(conversationId);
	return touched;
}

/** The record of the session that a commit makes of this conversation, if it does. */
export function createdRecord(commit: CommitPublication, id: ConversationId): SessionRecord | undefined {
	return commit.documents.find(
		({ record, created }) => created && isOf(record, id) && record.kind === SessionDoc.definition.kind,
	)?.value as SessionRecord | undefined;
}

/** Brings the facts of one session up to date with a commit. They were up to date with the one before. */
export function applyCommit(facts: SessionFacts, commit: CommitPublication): void {
	applyEntries(facts, commit);
	applyEnd(facts, commit);
	for (const { record, value } of commit.documents)
		if (isOf(record, facts.id)) applyDocument(facts, record.kind, value);
	applyWork(facts, facts.id, commit, facts.record.createdAt);
}

/**
 * Brings what goes on in a conversation up to date with a commit.
 *
 * @param otherwise since when a run goes on whose beginning the commit doesn't tell
 */
export function applyWork(
	work: Work,
	id: ConversationId,
	commit: CommitPublication,
	otherwise: number,
): void {
	for (const { record, value } of commit.documents) {
		if (!isOf(record, id)) continue;
		if (record.kind === LiveDoc.definition.kind) work.live = (value ?? {}) as LiveState;
		if (record.kind === ResumeDoc.definition.kind) work.parked = (value as ResumeState | null)?.parked;
	}
	applyStart(work, commit, otherwise);
	applyTasks(work, id, commit);
}

function isOf({ scope }: DocumentChange["record"], id: ConversationId): boolean {
	return scope.kind === "conversation" && scope.conversationId === id;
}

function applyDocument(facts: SessionFacts, kind: string, value: DocumentChange["value"]): void {
	if (kind === SessionDoc.definition.kind && value !== null) facts.record = value as SessionRecord;
	if (kind === AgentDoc.definition.kind) facts.model = (value as AgentState | null)?.model;
}

function applyEntries(facts: SessionFacts, { entries }: CommitPublication): void {
	for (const entry of entries) {
		if (entry.conversationId !== facts.id) continue;
		facts.newest = { id: entry.id, at: entry.at };
		if (isToRead(entry)) facts.toRead = entry.id;
		facts.response = responseOf(entry) ?? facts.response;
	}
}

/** A run is over in the commit that settles the input that started it. */
function applyEnd(facts: SessionFacts, commit: CommitPublication): void {
	const started = facts.run === undefined ? undefined : submissionIn(commit, facts.run.id);
	if (started === undefined) return;
	const generation = commit.tasks.find(
		({ kind, input, endedAt }) =>
			kind === GENERATION && endedAt !== undefined && (input as { run: SubmissionId }).run === started.id,
	);
	const ended = endOf(started, generation?.endedAt ?? facts.newest?.at ?? facts.record.createdAt);
	if (ended === undefined) return;
	facts.ended = ended;
	const { response } = facts;
	if (started.status === "done" && response?.id === started.answer) facts.preview = response?.text ?? "";
}

/** A run begins in the commit that places the input that starts it. */
function applyStart(work: Work, commit: CommitPublication, otherwise: number): void {
	const id = work.live.run?.inputs[0];
	if (id === work.run?.id) return;
	if (id === undefined) {
		work.run = undefined;
		return;
	}
	const placed = submissionIn(commit, id)?.entry;
	const entry = commit.entries.find((candidate) => candidate.id === placed);
	work.run = { id, since: entry?.at ?? otherwise };
}

function applyTasks(work: Work, id: ConversationId, { tasks }: CommitPublication): void {
	if (work.run === undefined) {
		work.startedAt = NONE_STARTED;
		return;
	}
	const own = tasks.filter(({ conversationId }) => conversationId === id);
	if (own.length === 0) return;
	const startedAt = new Map<TaskId, number>(work.startedAt);
	for (const task of own) {
		if (task.state.status === "terminal") startedAt.delete(task.id);
		else if (task.startedAt !== undefined) startedAt.set(task.id, task.startedAt);
	}
	work.startedAt = startedAt;
}

function submissionIn({ submissions }: CommitPublication, id: SubmissionId): SubmissionRecord | undefined {
	return submissions.find((record) => record.id === id);
}

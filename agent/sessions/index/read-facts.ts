import type { Context } from "@earendil-works/chord";
import {
	AgentDoc,
	type AgentState,
	type AnyTaskRecord,
	type ConversationId,
	type Cursor,
	type EntryId,
	type EntryRecord,
	GenerationTask,
	type Harness,
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
import { previewOf } from "../text.ts";
import { endOf, isToRead, newFacts, responseOf, type SessionFacts } from "./facts.ts";
import { noWork, type Work } from "./work.ts";

const GENERATION = GenerationTask.definition.name;
const LIVE = ["pending", "running", "waiting", "completing"] as const;

/** The conversations that have live tasks. */
export async function busyConversations(harness: Harness, context: Context): Promise<Set<ConversationId>> {
	const busy = new Set<ConversationId>();
	for (const status of LIVE)
		for await (const { conversationId } of pages((cursor) => harness.tasks({ status }, 500, cursor, context)))
			busy.add(conversationId);
	return busy;
}

/**
 * What the store says of a conversation; undefined when it is no session. Several reads: when a commit touches the
 * conversation meanwhile, they need not fit together and have to be done again.
 *
 * @param busy whether it may have live tasks; without them there is less to read
 */
export async function readFacts(
	harness: Harness,
	id: ConversationId,
	busy: boolean,
	context: Context,
): Promise<SessionFacts | undefined> {
	const record = (await harness.snapshot(SessionDoc, id, context)) as SessionRecord | undefined;
	if (record === undefined) return undefined;
	const facts = newFacts(id, record);
	const agent = (await harness.snapshot(AgentDoc, id, context)) as AgentState | undefined;
	facts.model = agent?.model;
	if (busy) Object.assign(facts, await readWork(harness, id, facts.record.createdAt, context));
	const answered = await readEnds(harness, facts, context);
	await readEntries(harness, facts, answered, context);
	return facts;
}

/**
 * What the store says goes on in a conversation; several reads, as of `readFacts`.
 *
 * @param otherwise since when a run goes on whose beginning can't be found
 */
export async function readWork(
	harness: Harness,
	id: ConversationId,
	otherwise: number,
	context: Context,
): Promise<Work> {
	const work = noWork();
	work.live = ((await harness.snapshot(LiveDoc, id, context)) ?? {}) as LiveState;
	const resume = (await harness.snapshot(ResumeDoc, id, context)) as ResumeState | undefined;
	work.parked = resume?.parked;
	const run = work.live.run?.inputs[0];
	if (run === undefined) return work;
	const input = await submission(harness, run, context);
	const entry = input?.entry === undefined ? undefined : await entryOf(harness, id, input.entry, context);
	work.run = { id: run, since: entry?.at ?? otherwise };
	const startedAt = new Map<TaskId, number>();
	for (const status of LIVE)
		for await (const task of pages((cursor) =>
			harness.tasks({ conversationId: id, status }, 100, cursor, context),
		))
			if (task.startedAt !== undefined) startedAt.set(task.id, task.startedAt);
	work.startedAt = startedAt;
	return work;
}

/**
 * How the newest finished run ended, and the newest answer there is: each run ends in the commit that ends its last
 * generation.
 */
async function readEnds(
	harness: Harness,
	facts: SessionFacts,
	context: Context,
): Promise<EntryId | undefined> {
	let last = facts.run?.id;
	for await (const task of generationsBackwards(harness, facts.id, context)) {
		const { run } = task.input as { run: SubmissionId };
		if (run === last || task.endedAt === undefined) continue;
		last = run;
		const started = await submission(harness, run, context);
		if (started === undefined) continue;
		facts.ended ??= endOf(started, task.endedAt);
		if (started.status === "done") return started.answer;
	}
	return undefined;
}

async function readEntries(
	harness: Harness,
	facts: SessionFacts,
	answer: EntryId | undefined,
	context: Context,
): Promise<void> {
	let needsPreview = answer !== undefined;
	for await (const entry of entriesBackwards(harness, facts.id, context)) {
		facts.newest ??= { id: entry.id, at: entry.at };
		if (isToRead(entry)) facts.toRead ??= entry.id;
		if (facts.run !== undefined) facts.response ??= responseOf(entry);
		if (entry.id === answer) {
			facts.preview = previewOf(entry);
			needsPreview = false;
		}
		if (facts.toRead !== undefined && (facts.run === undefined || facts.response !== undefined)) break;
	}
	if (!needsPreview) return;
	const entry = await entryOf(harness, facts.id, answer!, context);
	if (entry !== undefined) facts.preview = previewOf(entry);
}

async function* generationsBackwards(
	harness: Harness,
	conversationId: ConversationId,
	context: Context,
): AsyncGenerator<AnyTaskRecord> {
	const query = { conversationId, kind: GENERATION, order: "descending" } as const;
	yield* pages((cursor) => harness.tasks(query, cursor === undefined ? 1 : 50, cursor, context));
}

async function* entriesBackwards(
	harness: Harness,
	conversationId: ConversationId,
	context: Context,
): AsyncGenerator<EntryRecord> {
	const query = { conversationId, order: "descending" } as const;
	yield* pages((cursor) => harness.entries(query, cursor === undefined ? 1 : 16, cursor, context));
}

async function* pages<T>(
	read: (cursor: Cursor | undefined) => Promise<{ readonly items: readonly T[]; readonly next?: Cursor }>,
): AsyncGenerator<T> {
	let cursor: Cursor | undefined;
	do {
		const page = await read(cursor);
		yield* page.items;
		cursor = page.next;
	} while (cursor !== undefined);
}

async function entryOf(
	harness: Harness,
	conversationId: ConversationId,
	id: EntryId,
	context: Context,
): Promise<EntryRecord | undefined> {
	const query = { conversationId, minEntryId: id, maxEntryId: id };
	return (await harness.entries(query, 1, undefined, context)).items[0];
}

async function submission(
	harness: Harness,
	id: SubmissionId,
	context: Context,
): Promise<SubmissionRecord | undefined> {
	return (await harness.submission(id, context))?.status(context);
}

import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import {
	type AnyTaskRecord,
	type Conversation,
	type ConversationId,
	type Cursor,
	type EntryId,
	type EntryRecord,
	type Harness,
	LiveDoc,
	type LiveState,
	type SubmissionId,
	type SubmissionRecord,
	ToolResultEntry,
	type Tx,
	UserEntry,
} from "../../durable/index.ts";
import type { WireEntry } from "../../protocol/index.ts";
import { createEntryWindow, type EntryWindow } from "../views/entry-window.ts";
import { createSubmissionList, MOST_SUBMISSIONS, type SubmissionList } from "../views/submission-view.ts";
import { createTaskTree, MOST_TASKS, type TaskTree } from "../views/task-tree.ts";
import { PART_OF_MANY, wireEntry } from "../views/wire-entry.ts";
import type { CommitRouter, ConversationChange } from "./commit-router.ts";
import { followSubagents, ownedBy, type Subagents, subagentsOf } from "./subagents.ts";

/** The run that is going on: the submission that started it names it, and it began with that one's entry. */
type Run = { readonly id: SubmissionId; readonly since: EntryId | undefined; readonly startedAt: number };

/** What a view of a conversation shows beside its documents, brought up to date by each commit. */
export type ConversationFacts = {
	readonly window: EntryWindow;
	readonly submissions: SubmissionList;
	readonly tasks: TaskTree;
	readonly subagents: Subagents;
	/** When the run that is going on began. */
	readonly runStartedAt: () => number | undefined;
	readonly stop: () => void;
};

type Deps = {
	readonly harness: Harness;
	readonly router: CommitRouter;
	readonly onFailure: (error: unknown) => void;
};

const LIVE = ["pending", "running", "waiting", "completing"] as const;
const PAGE = 200;
/** How many submissions are looked through for those that became the entries shown. */
const MOST_LOOKED_AT = 1_000;

/**
 * Reads what there is and follows what comes. Both begin between the same two commits, on the line, so that nothing is
 * missed and nothing counted twice.
 *
 * @param live the conversation's `pi.live` as it is now
 * @param onChange called on the line after each change
 */
export async function followConversation(
	conversation: Conversation,
	tail: number,
	live: () => LiveState,
	deps: Deps,
	onChange: () => void,
): Promise<ConversationFacts> {
	const { harness, router } = deps;
	const { id } = conversation;
	const window = createEntryWindow(tail);
	const submissions = createSubmissionList();
	let run: Run | undefined;

	return harness.commit(async (tx) => {
		const newest = await conversation.entries({}, tail, undefined, BACKGROUND_CONTEXT);
		const records = newest.items.toReversed();
		const known = await newestSubmissions(harness, id, userEntriesIn(records));
		run = await readRun(tx, live(), known);
		const startTasks = await readTasks(harness, id, run?.since);
		const inherited = await subagentsOf(
			harness,
			records.filter(({ conversationId }) => conversationId !== id),
		);
		const subagents = followSubagents(id, await ownedBy(harness, id), deps, onChange);
		const tasks = createTaskTree({
			nameOfCall: window.nameOfCall,
			conversationOf: subagents.conversationOf,
			spendOf: subagents.spendOf,
		});

		function toWire(
			entries: readonly EntryRecord[],
			placed: ReadonlyMap<EntryId, SubmissionId>,
		): WireEntry[] {
			return entries.map((record) => {
				const submission = placed.get(record.id);
				const task = record.byTaskId;
				const owned = task && (subagents.conversationOf(task) ?? inherited.get(task));
				return wireEntry(record, PART_OF_MANY, {
					...(submission === undefined ? {} : { submission }),
					...(owned === undefined ? {} : { conversation: owned }),
				});
			});
		}

		function repair(entries: readonly EntryRecord[]): void {
			for (const { callId, ...repair } of repairsIn(entries)) window.repair(callId, repair);
		}

		function follow(change: ConversationChange): void {
			for (const child of change.children) subagents.add(child);
			submissions.adopt(change.submissions);
			if (change.entries.length > 0) window.append(toWire(change.entries, placesOf(change.submissions)));
			repair(change.entries);
			tasks.adopt(change.tasks);
			const liveChange = change.documents.find(({ record }) => record.kind === LiveDoc.definition.kind);
			if (liveChange !== undefined) run = nextRun(run, (liveChange.value ?? {}) as LiveState, change);
			tasks.forgetEnded(run?.since);
			onChange();
		}

		submissions.adopt(known);
		window.begin(toWire(records, placesOf(known)), newest.next !== undefined);
		repair(records);
		tasks.adopt(startTasks);
		tasks.forgetEnded(run?.since);
		const unsubscribe = router.subscribe(id, follow);
		return {
			window,
			submissions,
			tasks,
			subagents,
			runStartedAt: () => run?.startedAt,
			stop() {
				unsubscribe();
				subagents.stop();
			},
		};
	}, BACKGROUND_CONTEXT);
}

/** Calls whose results say that they ran with other arguments than the model sent. */
export function repairsIn(entries: readonly EntryRecord[]) {
	return entries.flatMap((entry) => {
		const [message] = entry.model ?? [];
		const ranWith = ToolResultEntry.is(entry) ? entry.data?.arguments : undefined;
		return ranWith === undefined || message?.role !== "toolResult"
			? []
			: [{ callId: message.toolCallId, ranWith, repairs: repairsOf(entry) }];
	});
}

/** What was done to a call's arguments, in words. */
export function repairsOf(entry: EntryRecord): readonly string[] {
	return ToolResultEntry.is(entry) ? (entry.data?.repairs ?? []) : [];
}

function placesOf(submissions: readonly SubmissionRecord[]): ReadonlyMap<EntryId, SubmissionId> {
	const places = new Map<EntryId, SubmissionId>();
	for (const { id, entry } of submissions) if (entry !== undefined) places.set(entry, id);
	return places;
}

function userEntriesIn(records: readonly EntryRecord[]): ReadonlySet<EntryId> {
	return new Set(records.filter((record) => UserEntry.is(record)).map(({ id }) => id));
}

/** Newest first: as many as a view shows, and on until those are among them that became the entries given. */
async function newestSubmissions(
	harness: Harness,
	id: ConversationId,
	entries: ReadonlySet<EntryId>,
): Promise<readonly SubmissionRecord[]> {
	const query = { conversationId: id, order: "descending" } as const;
	const found: SubmissionRecord[] = [];
	let missing = entries.size;
	let cursor: Cursor | undefined;
	do {
		const page = await harness.submissions(query, MOST_SUBMISSIONS, cursor, BACKGROUND_CONTEXT);
		found.push(...page.items);
		missing -= page.items.filter(({ entry }) => entry !== undefined && entries.has(entry)).length;
		cursor = page.next;
		// An entry that no message became is looked for in vain, but not for ever.
	} while (cursor !== undefined && missing > 0 && found.length < MOST_LOOKED_AT);
	return found;
}

async function readRun(
	tx: Tx,
	{ run }: LiveState,
	known: readonly SubmissionRecord[],
): Promise<Run | undefined> {
	const id = run?.inputs[0];
	if (id === undefined) return undefined;
	const record = known.find((submission) => submission.id === id) ?? (await tx.submission(id));
	const entry = record?.entry === undefined ? undefined : await tx.entry(record.entry);
	return { id, since: entry?.id, startedAt: entry?.at ?? Date.now() };
}

/** The run after a commit that changed `pi.live`. A new one begins with an entry of the very same commit. */
function nextRun(before: Run | undefined, live: LiveState, change: ConversationChange): Run | undefined {
	const id = live.run?.inputs[0];
	if (id === before?.id) return before;
	if (id === undefined) return undefined;
	const placed = change.submissions.find((submission) => submission.id === id)?.entry;
	const entry = change.entries.find((candidate) => candidate.id === placed);
	return { id, since: entry?.id, startedAt: entry?.at ?? Date.now() };
}

/** Live tasks, and those of the run that began with the entry `since`; oldest first. */
async function readTasks(
	harness: Harness,
	conversationId: ConversationId,
	since: EntryId | undefined,
): Promise<AnyTaskRecord[]> {
	const found = new Map<number, AnyTaskRecord>();
	for (const status of LIVE) {
		const query = { conversationId, status } as const;
		const page = await harness.tasks(query, MOST_TASKS, undefined, BACKGROUND_CONTEXT);
		for (const record of page.items) found.set(record.id, record);
	}
	let cursor: Cursor | undefined;
	let reached = since === undefined;
	while (!reached && found.size < MOST_TASKS) {
		const query = { conversationId, order: "descending" } as const;
		const page = await harness.tasks(query, PAGE, cursor, BACKGROUND_CONTEXT);
		for (const record of page.items) {
			if (record.id < since!) reached = true;
			else found.set(record.id, record);
		}
		cursor = page.next;
		reached ||= cursor === undefined;
	}
	return [...found.values()].sort((left, right) => left.id - right.id);
}

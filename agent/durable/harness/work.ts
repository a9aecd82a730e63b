import type { Context } from "@earendil-works/chord";
import type { Clock } from "../clock.ts";
import { startCompaction } from "../compaction/status.ts";
import { inSpiteOf, storedWaitOf, withoutWait } from "../model-request/stored-wait.ts";
import type { SessionCore } from "../session/session.ts";
import type { InternalTx } from "../session/transaction.ts";
import { markAborted } from "../tasks/cascade.ts";
import type { LiveTasks } from "../tasks/live-tasks.ts";
import type { Scheduler } from "../tasks/scheduler.ts";
import type { Waiters } from "../tasks/waiters.ts";
import type { Wakes } from "../tasks/wakes.ts";
import type { Settings } from "../types/agent.ts";
import type { Submission } from "../types/conversation-handle.ts";
import type { AbortOptions } from "../types/harness.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import type { CompactionResult } from "../types/live.ts";
import type { Tx } from "../types/session.ts";
import type { SubmissionDraft, SubmissionRecord } from "../types/submissions.ts";
import type { SettledTask } from "../types/tasks.ts";
import { admit, withdraw } from "./admission.ts";
import type { ResumeGuard } from "./resume-guard.ts";
import { liveOf } from "./run.ts";
import type { Submissions } from "./submission.ts";

type Parts = {
	readonly session: SessionCore;
	readonly clock: Clock;
	readonly liveTasks: LiveTasks;
	readonly scheduler: Scheduler;
	readonly guard: ResumeGuard;
	readonly waiters: Waiters;
	readonly submissions: Submissions;
	readonly wakes: Wakes;
	settings(): Settings;
	/** Starts the scheduler, so that nobody waits for work that can't go on. */
	resume(): void;
};

/** Handing work in, waiting for it, and stopping it. */
export function createWork(parts: Parts) {
	const { session, clock, liveTasks, scheduler, guard, waiters, submissions, wakes, settings, resume } =
		parts;

	/** A submission as a part of a commit. A message lets a conversation go on that was parked. */
	async function admitIn(
		tx: InternalTx,
		id: ConversationId,
		draft: SubmissionDraft,
	): Promise<SubmissionRecord> {
		if ((await tx.candidateConversation(id)) === undefined)
			throw new Error(`Conversation ${id} doesn't exist.`);
		const record = await admit(tx, id, draft, settings(), clock.now());
		await guard.release(tx, id);
		return record;
	}

	async function submit(
		id: ConversationId,
		draft: SubmissionDraft,
		context: Context,
		handleGuard: () => void = () => {},
	): Promise<Submission> {
		resume();
		const record = await session.commitInternal((tx) => admitIn(tx, id, draft), context);
		await session.flush(context);
		return submissions.handle(record.id, handleGuard, resume);
	}

	/** Starts a compaction by hand. Like a message, it lets a conversation go on that was parked. */
	async function compact(
		id: ConversationId,
		instructions: string | undefined,
		context: Context,
	): Promise<TaskId<CompactionResult>> {
		resume();
		const taskId = await session.commitInternal((tx) => compactIn(tx, id, instructions), context);
		await session.flush(context);
		return taskId;
	}

	async function compactIn(
		tx: InternalTx,
		id: ConversationId,
		instructions: string | undefined,
	): Promise<TaskId<CompactionResult>> {
		await guard.release(tx, id);
		const input = { reason: "manual", ...(instructions === undefined ? {} : { instructions }) } as const;
		return startCompaction(tx, id, input, { ownership: { kind: "conversation" } });
	}

	/** Stops what runs, takes queued inputs back, and resolves once that is over. Returns whether there was any. */
	async function abortConversation(
		id: ConversationId,
		{ background = false, run }: AbortOptions,
		context: Context,
	): Promise<boolean> {
		resume();
		const marked: TaskId[] = [];
		let withdrew = false;
		await session.commitInternal(async (tx) => {
			if (run !== undefined && !(await liveOf(tx, id)).run?.inputs.includes(run)) return;
			const reached = new Set([id]);
			for (const { record, ancestry } of liveTasks.live.values()) {
				const { conversations } = background ? ancestry : ancestry.ordinary;
				if (!conversations.includes(id)) continue;
				marked.push(record.id);
				reached.add(record.conversationId);
				if (!record.abortRequested) tx.replaceTask(markAborted(record));
			}
			for (const conversation of reached) {
				const some = await withdraw(tx, conversation, (item) => item.mode !== "write");
				if (conversation === id) withdrew = some;
			}
		}, context);
		await session.flush(context);
		const isOver = () => marked.every((task) => !liveTasks.live.has(task));
		await waiters.until(() => isOver() && (run !== undefined || liveTasks.in(id) === 0), context);
		if (liveTasks.in(id) === 0 && guard.isParked(id))
			await session.commitInternal((tx) => guard.release(tx, id), context);
		return withdrew || marked.length > 0;
	}

	/** Ends the wait before a next attempt. Returns whether there was one. */
	async function tryNow(id: ConversationId, context: Context): Promise<boolean> {
		resume();
		const ended: TaskId[] = [];
		await session.commitInternal((tx) => {
			for (const { record } of liveTasks.live.values()) {
				const wait = storedWaitOf(record);
				if (record.conversationId !== id || wait === undefined) continue;
				tx.replaceTask(withoutWait(record, clock.now()));
				ended.push(record.id);
				const run = record.owner && liveTasks.live.get(record.owner)?.record;
				if (wait.limit !== undefined && run?.state.status === "waiting")
					tx.replaceTask(inSpiteOf(run, wait.limit));
			}
		}, context);
		for (const task of ended) wakes.wake(task);
		return ended.length > 0;
	}

	async function abortTask(id: TaskId, context: Context): Promise<"marked" | "terminal"> {
		const result = await session.commitInternal(async (tx) => {
			const task = liveTasks.live.get(id);
			if (task !== undefined) {
				await scheduler.abort(tx, task);
				return "marked" as const;
			}
			if ((await tx.task(id)) === undefined) throw new Error(`Task ${id} doesn't exist.`);
			return "terminal" as const;
		}, context);
		if (result === "terminal") return result;
		await session.flush(context);
		await scheduler.joined(id);
		return result;
	}

	async function waitForTask<R>(id: TaskId<R>, context: Context): Promise<SettledTask<R>> {
		await waiters.until(() => !liveTasks.live.has(id as TaskId), context);
		const record = await session.storage.task(id as TaskId, context);
		if (record === undefined) throw new Error(`Task ${id} doesn't exist.`);
		return record as unknown as SettledTask<R>;
	}

	return {
		submit,
		compact,
		startCompaction: (tx: Tx, id: ConversationId, instructions: string | undefined) =>
			compactIn(tx as InternalTx, id, instructions),
		admit: (tx: Tx, id: ConversationId, draft: SubmissionDraft) => admitIn(tx as InternalTx, id, draft),
		abortConversation,
		tryNow,
		abortTask,
		waitForTask,
		async waitForConversation(id: ConversationId, context: Context): Promise<void> {
			resume();
			await waiters.until(() => liveTasks.in(id) === 0, context);
		},
		/** Until nothing runs but background tasks and what they own. */
		async waitForIdle(context: Context): Promise<void> {
			resume();
			await waiters.until(() => {
				for (const { record, ancestry } of liveTasks.live.values())
					if (!record.background && !ancestry.tasks.some(({ background }) => background)) return false;
				return true;
			}, context);
		},
	};
}

export type Work = ReturnType<typeof createWork>;

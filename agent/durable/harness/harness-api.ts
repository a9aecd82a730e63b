import type { Context } from "@earendil-works/chord";
import { awaitWithContext } from "@earendil-works/chord/context";
import type { SessionCore } from "../session/session.ts";
import type { InternalTx } from "../session/transaction.ts";
import type { LiveTasks } from "../tasks/live-tasks.ts";
import type { Scheduler } from "../tasks/scheduler.ts";
import type { Agent } from "../types/agent.ts";
import type { ContextView } from "../types/context-view.ts";
import type { RegistryReader, RegistrySnapshot } from "../types/extensions.ts";
import type { Harness } from "../types/harness.ts";
import { type ConversationId, type EntryId, ROOT_CONVERSATION_ID, type TaskId } from "../types/ids.ts";
import type { UsageState } from "../types/live.ts";
import type { Cursor } from "../types/storage.ts";
import { UsageDoc } from "./built-in-documents.ts";
import { configure } from "./configure.ts";
import { createConversationHandle } from "./conversation.ts";
import { commitConversation } from "./creation.ts";
import { inspect } from "./inspection.ts";
import type { ResumeGuard } from "./resume-guard.ts";
import { search } from "./search.ts";
import type { Submissions } from "./submission.ts";
import type { TaskGraphs } from "./task-graph.ts";
import { sumUsage } from "./usage.ts";
import type { Views } from "./views.ts";
import type { Work } from "./work.ts";

/** The parts of an open harness that its handles use. */
export type HarnessParts = {
	readonly session: SessionCore;
	readonly registry: RegistryReader;
	readonly liveTasks: LiveTasks;
	readonly scheduler: Scheduler;
	readonly guard: ResumeGuard;
	readonly submissions: Submissions;
	readonly work: Work;
	readonly views: Views;
	readonly taskGraphs: TaskGraphs;
	agentOf(id: ConversationId, snapshot: RegistrySnapshot, context: Context): Promise<Agent>;
	readContext(id: ConversationId, at: EntryId | undefined, context: Context): Promise<ContextView>;
	/** Wall clock of the harness, in ms since the epoch. */
	now(): number;
	hasResumed(): boolean;
	resume(): void;
	drain(withinMs: number): Promise<boolean>;
	close(): Promise<void>;
};

/** The harness as its users see it. Once it closes or its store has failed, every operation rejects with the reason. */
export function createHarnessApi(parts: HarnessParts): Harness {
	const { session, submissions, work, taskGraphs, resume } = parts;
	const { storage } = session;
	let closed: Promise<void> | undefined;

	return {
		commit: session.commit,
		flush: session.flush,
		snapshot: session.snapshot,
		snapshotAsOf: session.snapshotAsOf,
		watchDoc: session.watchDoc,
		documentState: session.documentState,
		subscribeCommits: session.subscribeCommits,
		subscribeClose: session.subscribeClose,
		resume,
		admit: work.admit,
		startCompaction: work.startCompaction,

		async root(context, options) {
			const created = await session.commitInternal(async (tx) => {
				if ((await tx.candidateConversation(ROOT_CONVERSATION_ID)) !== undefined) return false;
				await tx.createRoot();
				if (options?.agent !== undefined) await configure(tx, ROOT_CONVERSATION_ID, options.agent);
				await options?.init?.(tx, ROOT_CONVERSATION_ID);
				return true;
			}, context);
			if (created) await session.flush(context);
			return createConversationHandle(parts, ROOT_CONVERSATION_ID);
		},
		async conversation(id, context) {
			session.assertOpen();
			const record = await storage.conversation(id, context);
			return record && createConversationHandle(parts, id);
		},
		async createConversation({ ownership, ...start }, context) {
			const create = (tx: InternalTx) => tx.createConversation({ ownership });
			return createConversationHandle(parts, await commitConversation(session, create, start, context));
		},
		async conversations(query, limit, cursor, context) {
			session.assertOpen();
			return storage.scanConversations(query, limit, cursor, context);
		},
		async entries(query, limit, cursor, context) {
			session.assertOpen();
			return storage.scanEntries(query, limit, cursor, context);
		},
		async search(query, options, context) {
			session.assertOpen();
			return search(storage, query, options, context);
		},
		async submissions(query, limit, cursor, context) {
			session.assertOpen();
			return storage.scanSubmissions(query, limit, cursor, context);
		},
		async tasks(query, limit, cursor, context) {
			session.assertOpen();
			return storage.scanTasks(query, limit, cursor, context);
		},
		async getTask(id, context) {
			session.assertOpen();
			return (await storage.task(id as TaskId, context)) as never;
		},
		inspect: (context) => inspect(parts, context),
		taskGraph: taskGraphs.state,
		watchTaskGraph: taskGraphs.watch,
		async submission(id, context) {
			session.assertOpen();
			const record = await storage.submission(id, context);
			return record && submissions.handle(id, () => {}, resume);
		},
		abortSubmission: submissions.abort,
		abortTask: work.abortTask,
		async waitForTask(id, context) {
			resume();
			return work.waitForTask(id, context);
		},
		waitForIdle: work.waitForIdle,
		async usage(context) {
			session.assertOpen();
			let sum: UsageState = { models: {}, tools: {} };
			let cursor: Cursor | undefined;
			do {
				const page = await storage.scanConversations({}, 200, cursor, context);
				for (const { id } of page.items) {
					const usage = (await session.snapshot(UsageDoc, id, context)) as UsageState | undefined;
					if (usage !== undefined) sum = sumUsage(sum, usage);
				}
				cursor = page.next;
			} while (cursor !== undefined);
			return sum;
		},
		async drain(withinMs, context) {
			session.assertOpen();
			return awaitWithContext(parts.drain(withinMs), context);
		},
		close(context) {
			closed ??= parts.close();
			return awaitWithContext(closed, context);
		},
	};
}

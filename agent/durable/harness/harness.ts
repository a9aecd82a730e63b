import type { Context } from "@earendil-works/chord";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { type Clock, clockWithNow, systemClock } from "../clock.ts";
import { SessionClosed } from "../errors.ts";
import { openSession, type SessionCore } from "../session/session.ts";
import type { InternalTx } from "../session/transaction.ts";
import { markAborted } from "../tasks/cascade.ts";
import { createLiveTasks } from "../tasks/live-tasks.ts";
import type { RuntimeServices } from "../tasks/runtime.ts";
import { createScheduler } from "../tasks/scheduler.ts";
import { createWaiters } from "../tasks/waiters.ts";
import type { Agent, AgentState } from "../types/agent.ts";
import type { ContextView } from "../types/context-view.ts";
import type { Submission } from "../types/conversation-handle.ts";
import type { RegistryReader, RegistrySnapshot } from "../types/extensions.ts";
import type { AbortOptions, Harness as HarnessApi, HarnessOptions } from "../types/harness.ts";
import { type ConversationId, type EntryId, ROOT_CONVERSATION_ID, type TaskId } from "../types/ids.ts";
import type { UsageState } from "../types/live.ts";
import type { Cursor, Storage } from "../types/storage.ts";
import type { SubmissionDraft, SubmissionRecord } from "../types/submissions.ts";
import type { AnyTaskRecord, SettledTask } from "../types/tasks.ts";
import type { ToolRegistration } from "../types/tools.ts";
import { admit, withdraw } from "./admission.ts";
import { resolveAgent } from "./agent-resolution.ts";
import { AgentDoc, UsageDoc } from "./built-in-documents.ts";
import { configure } from "./configure.ts";
import { createContextReader } from "./context-reader.ts";
import { createConversationHandle } from "./conversation.ts";
import { BUILT_IN_TASKS } from "./create-registry.ts";
import { initializeConversation } from "./creation.ts";
import { inspect } from "./inspection.ts";
import { createOutputViews } from "./output-views.ts";
import { createResumeGuard } from "./resume-guard.ts";
import { liveOf } from "./run.ts";
import { resolveSettings } from "./settings.ts";
import { settleUndecided, withdrawBelow } from "./settle-outcome.ts";
import { createSubmissions } from "./submission.ts";
import { sumUsage } from "./usage.ts";
import { createViews, type Views } from "./views.ts";

/** What the handles of conversations need of the harness. */
export type HarnessCore = {
	readonly session: SessionCore;
	readonly registry: RegistryReader;
	readonly views: Views;
	submit(id: ConversationId, draft: SubmissionDraft, context: Context): Promise<Submission>;
	resolveAgent(id: ConversationId, snapshot: RegistrySnapshot, context: Context): Promise<Agent>;
	readContext(id: ConversationId, at: EntryId | undefined, context: Context): Promise<ContextView>;
	abortConversation(id: ConversationId, options: AbortOptions, context: Context): Promise<boolean>;
	waitForIdle(id: ConversationId, context: Context): Promise<void>;
};

/**
 * Opens a storage as a harness. Nothing runs until `resume()`, a submission or a wait asks for it. Rejects when the
 * registry lacks a built-in task (use `createRegistry()`).
 */
export async function openHarness<Tool extends ToolRegistration>(
	storage: Storage,
	options: HarnessOptions<Tool>,
	context: Context,
): Promise<HarnessApi> {
	assertBuiltIns(options.registry as RegistryReader);
	const registry = options.registry as unknown as RegistryReader;
	const clock = clockOf(options);
	const report = options.onReport ?? (() => {});
	const settings = () => resolveSettings(options.settings);
	const outputs = createOutputViews();
	const waiters = createWaiters();
	const liveTasks = createLiveTasks(storage);
	let committing: ReadonlySet<ConversationId> = new Set();

	const session = openSession(
		storage,
		clock,
		{
			conversationCreated: (tx, conversation) =>
				initializeConversation(tx, conversation, options.conversationCreated),
			async beforeSeal(tx) {
				await liveTasks.expect(tx, context);
				await guard.beforeSeal(tx);
				committing = tx.progress;
			},
		},
		report,
	);
	const guard = createResumeGuard(session, clock, liveTasks, () => scheduler.wake());
	const views = createViews(session, outputs, report);
	const submissions = createSubmissions(session, waiters);
	const contexts = createContextReader(session, clock, () => settings().contextRetentionMs);

	const services: RuntimeServices = {
		session,
		clock,
		liveTasks,
		models: options.models,
		settings,
		resolveAgent: agentOf,
		env: async (conversationId, agent, callContext) =>
			options.env?.(
				{ conversationId, read: session, ...(agent.cwd === undefined ? {} : { cwd: agent.cwd }) },
				callContext,
			),
		context: (id, at, callContext) => contexts.read(id, at, callContext),
		async conversation(id, invocationGuard, callContext) {
			if ((await storage.conversation(id, callContext)) === undefined) return undefined;
			return {
				id,
				async submit(draft, submitContext) {
					invocationGuard();
					return submit(id, draft, submitContext, invocationGuard);
				},
				async abort(abortContext) {
					invocationGuard();
					await abortConversation(id, {}, abortContext);
				},
				async waitForIdle(waitContext) {
					invocationGuard();
					await waitForIdle(id, waitContext);
				},
			};
		},
		waitForTask,
		show: outputs.show,
		sleeping: (id) => void guard.clear([id]).catch(ignoreClosing),
		report,
	};
	const scheduler = createScheduler(services, registry, {
		settle: settleUndecided,
		cascade: (tx, cancelled) => withdrawBelow(tx, cancelled, storage, context),
		mayRun: guard.mayRun,
	});

	session.subscribeCommits((publication) => {
		liveTasks.adopt(publication.tasks);
		for (const { id, conversationId, state } of publication.tasks)
			if (state.status === "terminal") outputs.show(conversationId, id, undefined);
		submissions.committed(publication);
		scheduler.committed(publication);
		guard.committed(committing, publication);
		waiters.check();
	});
	session.subscribeClose(() => waiters.end());
	const unsubscribeRegistry = registry.subscribe(() => scheduler.wake());
	await liveTasks.load(context);
	await pendAllRunning();

	/** A task that was running when the last process ended runs again from its checkpoint. */
	async function pendAllRunning(): Promise<void> {
		const running = [...liveTasks.live.values()].filter(({ record }) => record.state.status === "running");
		if (running.length === 0) return;
		await session.commitInternal((tx) => {
			for (const { record } of running) {
				const { checkpoint } = record.state as { checkpoint: unknown };
				tx.replaceTask({ ...record, state: { status: "pending", checkpoint } } as AnyTaskRecord);
			}
		}, context);
	}

	let resumed = false;
	/** What a crash loop may have left is counted before anything runs. */
	function resume(): void {
		if (session.closing) throw new SessionClosed();
		if (resumed) return;
		resumed = true;
		guard.begin(BACKGROUND_CONTEXT).then(
			() => {
				if (!session.closing) scheduler.start();
			},
			(error) => {
				resumed = false;
				if (!session.closing) report(error);
			},
		);
	}

	async function agentOf(
		id: ConversationId,
		snapshot: RegistrySnapshot,
		callContext: Context,
	): Promise<Agent> {
		const stored = ((await session.snapshot(AgentDoc, id, callContext)) ?? {}) as AgentState;
		return resolveAgent(stored, snapshot, settings(), report);
	}

	async function submit(
		id: ConversationId,
		draft: SubmissionDraft,
		callContext: Context,
		handleGuard: () => void = () => {},
	): Promise<Submission> {
		resume();
		const record = await session.commitInternal(async (tx) => {
			await assertConversation(tx, id);
			return admitAndUnpark(tx, id, draft);
		}, callContext);
		await session.flush(callContext);
		return submissions.handle(record.id, handleGuard, resume);
	}

	async function admitAndUnpark(
		tx: InternalTx,
		id: ConversationId,
		draft: SubmissionDraft,
	): Promise<SubmissionRecord> {
		const admitted = await admit(tx, id, draft, settings(), clock.now());
		await guard.unpark(tx, id);
		return admitted;
	}

	async function assertConversation(tx: InternalTx, id: ConversationId): Promise<void> {
		if ((await tx.candidateConversation(id)) === undefined)
			throw new Error(`Conversation ${id} doesn't exist.`);
	}

	/** Stops what runs, takes queued inputs back, and resolves once that is over. Returns whether there was any. */
	async function abortConversation(
		id: ConversationId,
		{ background = false, run }: AbortOptions,
		callContext: Context,
	): Promise<boolean> {
		resume();
		const marked: TaskId[] = [];
		let withdrew = false;
		await session.commitInternal(async (tx) => {
			if (run !== undefined && !(await liveOf(tx, id)).run?.inputs.includes(run)) return;
			withdrew = await withdraw(tx, id, (item) => item.mode !== "write");
			const reached = new Set<ConversationId>();
			for (const { record, ancestry } of liveTasks.live.values()) {
				const { conversations } = background ? ancestry : ancestry.ordinary;
				if (!conversations.includes(id)) continue;
				marked.push(record.id);
				reached.add(record.conversationId);
				if (!record.abortRequested) tx.replaceTask(markAborted(record));
			}
			reached.delete(id);
			for (const below of reached) await withdraw(tx, below, (item) => item.mode !== "write");
		}, callContext);
		await session.flush(callContext);
		await waiters.until(
			() =>
				marked.every((task) => !liveTasks.live.has(task)) && (run !== undefined || liveTasks.in(id) === 0),
			callContext,
		);
		if (liveTasks.in(id) === 0 && guard.isParked(id))
			await session.commitInternal((tx) => guard.unpark(tx, id), callContext);
		return withdrew || marked.length > 0;
	}

	async function waitForIdle(id: ConversationId, callContext: Context): Promise<void> {
		resume();
		await waiters.until(() => liveTasks.in(id) === 0, callContext);
	}

	async function waitForTask<R>(id: TaskId<R>, callContext: Context): Promise<SettledTask<R>> {
		if (liveTasks.live.has(id as TaskId))
			await waiters.until(() => !liveTasks.live.has(id as TaskId), callContext);
		const record = await storage.task(id as TaskId, callContext);
		if (record === undefined) throw new Error(`Task ${id} doesn't exist.`);
		return record as unknown as SettledTask<R>;
	}

	async function abortTask(id: TaskId, callContext: Context): Promise<"marked" | "terminal"> {
		const ended = await session.commitInternal(async (tx) => {
			const record = liveTasks.live.get(id)?.record;
			if (record === undefined) {
				if ((await tx.task(id)) === undefined) throw new Error(`Task ${id} doesn't exist.`);
				return true;
			}
			if (!record.abortRequested) tx.replaceTask(markAborted(record));
			return false;
		}, callContext);
		if (ended) return "terminal";
		await session.flush(callContext);
		await scheduler.joined(id);
		return "marked";
	}

	const core: HarnessCore = {
		session,
		registry,
		views,
		submit,
		resolveAgent: agentOf,
		readContext: services.context,
		abortConversation,
		waitForIdle,
	};

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
		admit: (tx, id, draft) => admitAndUnpark(tx as InternalTx, id, draft),

		async root(callContext, rootOptions) {
			await session.commitInternal(async (tx) => {
				if ((await tx.candidateConversation(ROOT_CONVERSATION_ID)) !== undefined) return;
				await tx.createRoot();
				if (rootOptions?.agent !== undefined) await configure(tx, ROOT_CONVERSATION_ID, rootOptions.agent);
				await rootOptions?.init?.(tx, ROOT_CONVERSATION_ID);
			}, callContext);
			return createConversationHandle(core, ROOT_CONVERSATION_ID);
		},
		async conversation(id, callContext) {
			const record = await storage.conversation(id, callContext);
			return record === undefined ? undefined : createConversationHandle(core, id);
		},
		async createConversation({ ownership, agent, init }, callContext) {
			const id = await session.commitInternal(async (tx) => {
				const created = await tx.createConversation({ ownership });
				if (agent !== undefined) await configure(tx, created.id, agent);
				await init?.(tx, created.id);
				return created.id;
			}, callContext);
			await session.flush(callContext);
			return createConversationHandle(core, id);
		},
		conversations: (query, limit, cursor, callContext) =>
			storage.scanConversations(query, limit, cursor, callContext),
		entries: (query, limit, cursor, callContext) => storage.scanEntries(query, limit, cursor, callContext),
		submissions: (query, limit, cursor, callContext) =>
			storage.scanSubmissions(query, limit, cursor, callContext),
		tasks: (query, limit, cursor, callContext) => storage.scanTasks(query, limit, cursor, callContext),
		getTask: (id, callContext) => storage.task(id as TaskId, callContext) as never,
		inspect: (callContext) => inspect(session, liveTasks, scheduler, guard, callContext),
		async submission(id, callContext) {
			const record = await storage.submission(id, callContext);
			return record === undefined ? undefined : submissions.handle(id, () => {}, resume);
		},
		abortSubmission: submissions.abort,
		abortTask,
		async waitForTask(id, callContext) {
			resume();
			return waitForTask(id, callContext);
		},
		async waitForIdle(callContext) {
			resume();
			await waiters.until(
				() =>
					![...liveTasks.live.values()].some(
						({ record, ancestry }) =>
							!record.background && !ancestry.tasks.some(({ background }) => background),
					),
				callContext,
			);
		},
		async usage(callContext) {
			let sum: UsageState = { models: {}, tools: {} };
			let cursor: Cursor | undefined;
			do {
				const page = await storage.scanConversations({}, 200, cursor, callContext);
				for (const { id } of page.items) {
					const usage = (await session.snapshot(UsageDoc, id, callContext)) as UsageState | undefined;
					if (usage !== undefined) sum = sumUsage(sum, usage);
				}
				cursor = page.next;
			} while (cursor !== undefined);
			return sum;
		},
		async close(callContext) {
			if (!session.closing) await guard.clear().catch(ignoreClosing);
			unsubscribeRegistry();
			session.seal();
			await scheduler.close();
			await session.close(callContext);
		},
	};
}

function clockOf(options: { readonly clock?: Clock; readonly now?: () => number }): Clock {
	return options.clock ?? (options.now === undefined ? systemClock : clockWithNow(options.now));
}

function assertBuiltIns(registry: RegistryReader): void {
	const snapshot = registry.snapshot();
	for (const { definition } of BUILT_IN_TASKS)
		if (snapshot.task(definition.name) === undefined)
			throw new Error(
				`The registry lacks the built-in task ${definition.name}; make it with createRegistry().`,
			);
}

/** Clearing is a courtesy of a session that goes on; one that closes or has failed keeps its counts. */
function ignoreClosing(): void {}

export const Harness = { open: openHarness };
export type Harness = HarnessApi;

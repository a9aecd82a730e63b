import type { Context } from "@earendil-works/chord";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { type Clock, clockWithNow, systemClock } from "../clock.ts";
import { AccountFailed, SessionClosed, StorageFull } from "../errors.ts";
import { createLimits } from "../model-request/limits.ts";
import { openSession, type SessionCore } from "../session/session.ts";
import type { InternalTx } from "../session/transaction.ts";
import { createLiveTasks, type LiveTasks } from "../tasks/live-tasks.ts";
import type { RuntimeServices } from "../tasks/runtime.ts";
import { createScheduler } from "../tasks/scheduler.ts";
import { createWaiters } from "../tasks/waiters.ts";
import { createWakes } from "../tasks/wakes.ts";
import type { Agent, AgentState } from "../types/agent.ts";
import type { RegistryReader, RegistrySnapshot } from "../types/extensions.ts";
import type { Harness as HarnessApi, HarnessOptions } from "../types/harness.ts";
import type { ConversationId } from "../types/ids.ts";
import type { Storage } from "../types/storage.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";
import type { ToolRegistration } from "../types/tools.ts";
import { createAccounting } from "./account.ts";
import { resolveAgent } from "./agent-resolution.ts";
import { AgentDoc } from "./built-in-documents.ts";
import { createContextReader } from "./context-reader.ts";
import { createTaskConversationHandle } from "./conversation.ts";
import { BUILT_IN_TASKS } from "./create-registry.ts";
import { initializeConversation } from "./creation.ts";
import { createHarnessApi } from "./harness-api.ts";
import { createOutputViews } from "./output-views.ts";
import { createResumeGuard } from "./resume-guard.ts";
import { resolveSettings } from "./settings.ts";
import { settleUndecided, withdrawBelow } from "./settle-outcome.ts";
import { createSubmissions } from "./submission.ts";
import { createTaskGraphs } from "./task-graph.ts";
import { createViews } from "./views.ts";
import { createWork } from "./work.ts";

/**
 * Opens a storage as a harness: puts its parts together. Nothing runs until `resume()`, a submission or a wait asks
 * for it. Rejects when the registry lacks a built-in task (use `createRegistry()`).
 */
export async function openHarness<Tool extends ToolRegistration>(
	storage: Storage,
	options: HarnessOptions<Tool>,
	context: Context,
): Promise<HarnessApi> {
	const registry = options.registry as unknown as RegistryReader;
	assertBuiltIns(registry);
	const clock = clockOf(options);
	const report = reporterFor(options.onReport);
	const accounting = createAccounting(options.account);
	const settings = () => resolveSettings(options.settings);
	const outputs = createOutputViews();
	const waiters = createWaiters();
	const liveTasks = createLiveTasks(storage);
	const wakes = createWakes();

	const session = openSession(
		storage,
		clock,
		{
			conversationCreated: (tx, conversation) =>
				initializeConversation(tx, conversation, options.conversationCreated),
			async beforeSeal(commit) {
				if (commit.staged.tasks.size > 0) await liveTasks.expect(commit.staged, context);
				if (commit.progress.size > 0) await guard.beforeSeal(commit);
				await accounting.tell(commit);
			},
		},
		report,
	);
	const guard = createResumeGuard({
		session,
		clock,
		liveTasks,
		report,
		isBlocked: (record) => scheduler.resolution(record).kind === "blocked",
		wake: () => scheduler.wake(),
	});
	const submissions = createSubmissions(session, waiters);
	const contexts = createContextReader(session, clock, () => settings().contextRetentionMs);

	async function agentOf(
		id: ConversationId,
		snapshot: RegistrySnapshot,
		callContext: Context,
	): Promise<Agent> {
		const stored = ((await session.snapshot(AgentDoc, id, callContext)) ?? {}) as AgentState;
		return resolveAgent(stored, snapshot, settings(), report);
	}

	const services: RuntimeServices = {
		session,
		clock,
		liveTasks,
		models: options.models,
		network: options.network,
		limits: createLimits(liveTasks),
		wakes,
		settings,
		resolveAgent: agentOf,
		env: async (conversationId, agent, callContext) =>
			options.env?.(
				{ conversationId, read: session, ...(agent.cwd === undefined ? {} : { cwd: agent.cwd }) },
				callContext,
			),
		context: contexts.read,
		async conversation(id, invocationGuard, callContext) {
			const record = await storage.conversation(id, callContext);
			return record && createTaskConversationHandle(work, id, invocationGuard);
		},
		waitForTask: (id, callContext) => work.waitForTask(id, callContext),
		show: outputs.show,
		sleeping: (id) => void guard.clear([id]).catch(ignoreClosing),
		report,
	};
	/** What the scheduler decides ends runs, so it is stored even when the host can't account for it. */
	async function decide<T>(change: (tx: InternalTx) => Promise<T>): Promise<T> {
		try {
			return await session.commitInternal(change, BACKGROUND_CONTEXT);
		} catch (error) {
			if (!(error instanceof AccountFailed)) throw error;
			report(error);
		}
		return session.commitInternal((tx) => {
			accounting.excuse(tx);
			return change(tx);
		}, BACKGROUND_CONTEXT);
	}

	const scheduler = createScheduler(services, registry, {
		decide,
		settle: settleUndecided,
		cascade: (tx, cancelled, reached) => withdrawBelow(tx, cancelled, reached, storage, context),
		mayRun: guard.mayRun,
	});
	const work = createWork({
		session,
		clock,
		liveTasks,
		scheduler,
		guard,
		waiters,
		submissions,
		wakes,
		settings,
		resume,
	});

	session.subscribeCommits((publication) => {
		liveTasks.adopt(publication.tasks);
		for (const { id, conversationId, state } of publication.tasks)
			if (state.status === "terminal") {
				outputs.show(conversationId, id, undefined);
				wakes.begin(id);
			}
		submissions.committed(publication);
		scheduler.committed(publication);
		guard.committed(publication);
		waiters.check();
	});
	session.subscribeClose(() => {
		guard.stop();
		scheduler.stop();
		waiters.end(reasonOfEnd(session));
	});
	const unsubscribeRegistry = registry.subscribe(() => scheduler.wake());

	let resumed = false;
	/** What a crash loop may have left is counted before anything runs. */
	function resume(): void {
		session.assertOpen();
		if (resumed) return;
		resumed = true;
		guard.begin().then(
			() => {
				if (!session.closing) scheduler.start();
			},
			(error) => {
				resumed = false;
				if (!session.closing) report(error);
			},
		);
	}

	async function drain(withinMs: number): Promise<boolean> {
		const late = Promise.withResolvers<false>();
		const cancel = clock.after(withinMs, () => late.resolve(false));
		try {
			return await Promise.race([scheduler.drain().then(() => true), late.promise]);
		} finally {
			cancel();
		}
	}

	async function close(): Promise<void> {
		if (!session.closing) await guard.clear().catch(ignoreClosing);
		unsubscribeRegistry();
		session.seal();
		await scheduler.close();
		await session.close(BACKGROUND_CONTEXT);
	}

	await liveTasks.load(context);
	await pendAllRunning(session, liveTasks, context).catch((error) => {
		// What was running runs again either way; only its status can't be put right while the disk is full.
		if (!(error instanceof StorageFull)) throw error;
		report(error);
	});
	return createHarnessApi({
		session,
		registry,
		liveTasks,
		scheduler,
		guard,
		submissions,
		work,
		views: createViews(session, outputs, report),
		taskGraphs: createTaskGraphs(session, liveTasks, report),
		agentOf,
		readContext: contexts.read,
		now: clock.now,
		hasResumed: () => resumed,
		resume,
		drain,
		close,
	});
}

/** What is only to be heard of ends nothing, also when the host's listener breaks; there is nobody else to tell that. */
function reporterFor(onReport: HarnessOptions["onReport"]): (error: unknown) => void {
	return (error) => {
		try {
			const heard: unknown = onReport?.(error);
			if (heard instanceof Promise) heard.catch(() => {});
		} catch {}
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

/** A task that was running when the last process ended runs again from its checkpoint. */
async function pendAllRunning(session: SessionCore, liveTasks: LiveTasks, context: Context): Promise<void> {
	const running = [...liveTasks.live.values()].filter(({ record }) => record.state.status === "running");
	if (running.length === 0) return;
	await session.commitInternal((tx) => {
		for (const { record } of running) {
			const { checkpoint } = record.state as { checkpoint: unknown };
			tx.replaceTask({ ...record, state: { status: "pending", checkpoint } } as AnyTaskRecord);
		}
	}, context);
}

function reasonOfEnd(session: SessionCore): Error {
	try {
		session.assertOpen();
	} catch (error) {
		if (error instanceof Error) return error;
	}
	return new SessionClosed();
}

/** Clearing is a courtesy of a session that goes on; one that closes or has failed keeps its counts. */
function ignoreClosing(): void {}

export const Harness = { open: openHarness };
export type Harness = HarnessApi;

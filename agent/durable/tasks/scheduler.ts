import type { Context } from "@earendil-works/chord";
import { BACKGROUND_CONTEXT, withAbortSignal } from "@earendil-works/chord/context";
import { crashPoint } from "../crash-points.ts";
import { SessionClosed, SessionPoisoned, StorageFull } from "../errors.ts";
import type { InternalTx } from "../session/transaction.ts";
import type { RegistryReader } from "../types/extensions.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import type { CommitPublication } from "../types/session.ts";
import type { AnyTask, AnyTaskRecord, TaskOutcome } from "../types/tasks.ts";
import { failFastMarks, markAborted, marksFromAbove, withOutcome } from "./cascade.ts";
import { type AnyRuntime, migrateRecord, type RunnableDefinition, resolveDefinition } from "./definitions.ts";
import type { LiveTask } from "./live-tasks.ts";
import { createRuntime, type Invocation, type RuntimeServices } from "./runtime.ts";

export type SchedulerHooks = {
	/** In the commit that makes an outcome terminal which no code of the task decided: cleans up after it. */
	settle(tx: InternalTx, record: AnyTaskRecord, outcome: TaskOutcome<unknown>): Promise<void>;
	/** In the commit that carries an abort down: what else ends in the conversations below these tasks. */
	cascade(tx: InternalTx, cancelled: ReadonlySet<TaskId>): Promise<void>;
	/** Whether a conversation's work may run now; a parked one waits for a person. */
	mayRun(conversationId: ConversationId): boolean;
};

/** How long the scheduler waits before it tries again what a full disk refused, in ms. */
const FULL_RETRY_MS = 1_000;

/**
 * Decides what runs. It knows nothing of conversations' runs or of kinds of tasks: it reserves what may run, calls
 * its phases, carries aborts down the ownership tree and ends what is ready to end. All it knows is committed, so a
 * new process finds the same answers.
 */
export function createScheduler(services: RuntimeServices, registry: RegistryReader, hooks: SchedulerHooks) {
	const { session, clock, liveTasks } = services;
	const invocations = new Map<TaskId, Invocation>();
	const failedMigrations = new Map<AnyTask, unknown>();
	/** Cancelled tasks whose cascade has reached the conversations below them. */
	const cascaded = new Set<TaskId>();
	let state: "paused" | "running" | "closing" = "paused";
	let passing = false;
	let again = false;

	function wake(): void {
		if (state !== "running") return;
		again = true;
		if (!passing) void reconcile();
	}

	async function reconcile(): Promise<void> {
		passing = true;
		try {
			while (again && state === "running") {
				again = false;
				await pass();
			}
		} catch (error) {
			if (error instanceof StorageFull) clock.after(FULL_RETRY_MS, wake);
			if (!(error instanceof SessionClosed || error instanceof SessionPoisoned)) services.report(error);
		} finally {
			passing = false;
		}
	}

	async function pass(): Promise<void> {
		await finishCompleted();
		await carryAborts();
		for (const task of [...liveTasks.live.values()]) {
			if (state !== "running") return;
			await reserve(task);
		}
	}

	/** Held outcomes become terminal once the work below is done. */
	async function finishCompleted(): Promise<void> {
		const ready = [...liveTasks.live.values()].filter(canFinish);
		if (ready.length === 0) return;
		await session.commitInternal(async (tx) => {
			for (const task of ready) {
				if (!canFinish(task)) continue;
				const { outcome } = task.record.state as Extract<AnyTaskRecord["state"], { status: "completing" }>;
				tx.replaceTask(withOutcome(task.record, outcome, "terminal"));
				if (outcome.status === "faulted" || outcome.status === "orphaned")
					await hooks.settle(tx, task.record, outcome);
			}
		}, BACKGROUND_CONTEXT);
	}

	function canFinish({ record }: LiveTask): boolean {
		return record.state.status === "completing" && liveTasks.below(record.id) === 0;
	}

	async function carryAborts(): Promise<void> {
		const { marks, cancelled } = marksFromAbove(liveTasks);
		for (const id of failFastMarks(liveTasks)) marks.add(id);
		const fresh = new Set([...cancelled].filter((id) => !cascaded.has(id)));
		if (marks.size === 0 && fresh.size === 0) return;
		await session.commitInternal(async (tx) => {
			for (const id of marks) {
				const record = liveTasks.live.get(id)?.record;
				if (record !== undefined && !record.abortRequested) tx.replaceTask(markAborted(record));
			}
			if (fresh.size > 0) await hooks.cascade(tx, fresh);
		}, BACKGROUND_CONTEXT);
		for (const id of fresh) cascaded.add(id);
	}

	/** Starts an invocation when the task may run now. */
	async function reserve(task: LiveTask): Promise<void> {
		const mode = runnableMode(task);
		if (mode === undefined) return;
		const snapshot = registry.snapshot();
		const resolution = resolveDefinition(task.record, snapshot, failedMigrations);
		if (resolution.kind === "blocked") {
			if (mode === "abort") await orphan(task, resolution.reason);
			return;
		}
		const { definition, migrates } = resolution;
		const reserved = await session.commitInternal(async (tx) => {
			if (runnableMode(task) !== mode) return false;
			let record = task.record;
			if (migrates) {
				try {
					record = migrateRecord(record, definition);
				} catch (error) {
					failedMigrations.set(snapshot.task(record.kind)!, error);
					services.report(error);
					return false;
				}
			}
			const { checkpoint } = record.state as unknown as { checkpoint: unknown };
			tx.replaceTask({ ...record, state: { status: "running", checkpoint } } as AnyTaskRecord);
			return true;
		}, BACKGROUND_CONTEXT);
		if (reserved) start(task.record, definition, mode);
		else if (migrates && mode === "abort") again = true;
	}

	function runnableMode({ record }: LiveTask): "run" | "abort" | undefined {
		if (invocations.has(record.id) || record.state.status === "completing") return undefined;
		if (record.abortRequested) return liveTasks.below(record.id) === 0 ? "abort" : undefined;
		if (!hooks.mayRun(record.conversationId)) return undefined;
		if (record.state.status === "waiting" && record.state.on.some((id) => liveTasks.live.has(id)))
			return undefined;
		return "run";
	}

	/** Aborted while no code can take it: it ends as `orphaned`, since nothing of its own could clean up. */
	async function orphan(task: LiveTask, reason: string): Promise<void> {
		await session.commitInternal(async (tx) => {
			if (runnableMode(task) !== "abort") return;
			const outcome = { status: "orphaned", reason } as const;
			tx.replaceTask(withOutcome(task.record, outcome, "terminal"));
			await hooks.settle(tx, task.record, outcome);
		}, BACKGROUND_CONTEXT);
	}

	function start(record: AnyTaskRecord, definition: RunnableDefinition, mode: "run" | "abort"): void {
		const { promise, resolve } = Promise.withResolvers<void>();
		const invocation: Invocation = {
			taskId: record.id,
			conversationId: record.conversationId,
			mode,
			controller: new AbortController(),
			over: false,
			ended: promise,
		};
		invocations.set(record.id, invocation);
		// An abort mark may have come in between the reservation and here.
		if (mode === "run" && liveTasks.live.get(record.id)?.record.abortRequested === true) signal(invocation);
		crashPoint("task:reserved", record.conversationId);
		void run(invocation, definition)
			.catch((error) => {
				if (!session.closing) services.report(error);
			})
			.finally(() => {
				invocation.over = true;
				signal(invocation);
				invocations.delete(record.id);
				resolve();
				wake();
			});
	}

	async function run(invocation: Invocation, definition: RunnableDefinition): Promise<void> {
		let record = await session.onLine(() => runningRecord(invocation));
		while (record !== undefined) {
			const failure = await callPhase(invocation, definition, record);
			const { checkpoint } = record.state as { checkpoint: unknown };
			record = await nextPhase(invocation, checkpoint, failure);
		}
	}

	/** The phase's failure, if any; a failure that the signal caused is left to the rules that follow. */
	async function callPhase(
		invocation: Invocation,
		definition: RunnableDefinition,
		record: AnyTaskRecord,
	): Promise<{ readonly error: unknown } | undefined> {
		const runtime: AnyRuntime = createRuntime(services, invocation, registry.snapshot());
		const context: Context = withAbortSignal(invocation.controller.signal, BACKGROUND_CONTEXT);
		try {
			if (invocation.mode === "abort") await definition.abort(record, runtime, context);
			else await phaseOf(definition, record)(record, runtime, context);
			return undefined;
		} catch (error) {
			return { error };
		}
	}

	/** The rules between two phases: the next record to run, or undefined to stop. Writes faults. */
	async function nextPhase(
		invocation: Invocation,
		checkpoint: unknown,
		failure: { readonly error: unknown } | undefined,
	): Promise<AnyTaskRecord | undefined> {
		if (session.closing) return undefined;
		return session.commitInternal(async (tx) => {
			const record = runningRecord(invocation);
			if (record === undefined || session.closing) return undefined;
			const reached = (record.state as { checkpoint: unknown }).checkpoint;
			if (failure !== undefined) await fault(tx, record, messageOf(failure.error));
			else if (invocation.mode === "abort")
				await fault(tx, record, "The abort handler returned without an outcome");
			else if (reached === checkpoint) await fault(tx, record, "The phase returned without durable progress");
			else return record;
			return undefined;
		}, BACKGROUND_CONTEXT);
	}

	function runningRecord(invocation: Invocation): AnyTaskRecord | undefined {
		const record = liveTasks.live.get(invocation.taskId)?.record;
		if (record?.state.status !== "running") return undefined;
		if (invocation.mode === "run" && record.abortRequested) return undefined;
		return record;
	}

	async function fault(tx: InternalTx, record: AnyTaskRecord, message: string): Promise<void> {
		services.report(new Error(`Task ${record.id} (${record.kind}) faulted: ${message}`));
		const outcome = { status: "faulted", error: { message } } as const;
		const held = await liveTasks.hasWorkBelow(record.id, tx, BACKGROUND_CONTEXT);
		tx.replaceTask(withOutcome(record, outcome, held ? "completing" : "terminal"));
		if (!held) await hooks.settle(tx, record, outcome);
	}

	function signal(invocation: Invocation): void {
		if (!invocation.controller.signal.aborted)
			invocation.controller.abort(new DOMException(`Task ${invocation.taskId} was stopped.`, "AbortError"));
	}

	return {
		get state() {
			return state;
		},
		start(): void {
			if (state === "closing") throw new SessionClosed();
			if (state === "running") return;
			state = "running";
			wake();
		},
		wake,

		/** After each commit: signals what was told to abort, and looks for what may run now. */
		committed(publication: CommitPublication): void {
			for (const { id, abortRequested, state: taskState } of publication.tasks) {
				const invocation = invocations.get(id);
				if (abortRequested && invocation?.mode === "run") signal(invocation);
				if (taskState.status === "terminal") cascaded.delete(id);
			}
			if (publication.tasks.length > 0) wake();
		},

		/** Joins the run that an abort mark has signalled. */
		async joined(id: TaskId): Promise<void> {
			const invocation = invocations.get(id);
			if (invocation?.mode === "run") await invocation.ended;
		},

		resolution: (record: AnyTaskRecord) => resolveDefinition(record, registry.snapshot(), failedMigrations),
		isRunning: (id: TaskId) => invocations.has(id),

		/** Signals every invocation and joins them; writes no outcome, so that the work is taken up again. */
		async close(): Promise<void> {
			state = "closing";
			for (const invocation of invocations.values()) signal(invocation);
			while (invocations.size > 0)
				await Promise.all([...invocations.values()].map((invocation) => invocation.ended));
		},
	};
}

export type Scheduler = ReturnType<typeof createScheduler>;

function phaseOf(definition: RunnableDefinition, record: AnyTaskRecord) {
	const { phase } = (record.state as unknown as { checkpoint: { phase: string } }).checkpoint;
	const handler = definition.phases[phase];
	if (handler === undefined) throw new Error(`Task ${record.id} (${record.kind}) has no phase "${phase}"`);
	return handler;
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

import { SessionClosed } from "../errors.ts";
import type { InternalTx } from "../session/transaction.ts";
import type { RegistryReader } from "../types/extensions.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import type { CommitPublication } from "../types/session.ts";
import type { AnyTask, AnyTaskRecord, TaskOutcome } from "../types/tasks.ts";
import { conversationsBelow, failFastMarks, markAborted, marksFromAbove, withOutcome } from "./cascade.ts";
import { migrateRecord, type Resolution, resolveDefinition } from "./definitions.ts";
import { createInvocations } from "./invocations.ts";
import type { LiveTask } from "./live-tasks.ts";
import type { RuntimeServices } from "./runtime.ts";
import { whenRoom } from "./when-room.ts";

export type SchedulerHooks = {
	/** A commit of what was decided; nothing but the store may refuse it. `change` may be called twice. */
	decide<T>(change: (tx: InternalTx) => Promise<T>): Promise<T>;
	/** In the commit that makes an outcome terminal which no code of the task decided: cleans up after it. */
	settle(tx: InternalTx, record: AnyTaskRecord, outcome: TaskOutcome<unknown>): Promise<void>;
	/**
	 * In the commit that carries an abort down: what else ends in the conversations that these tasks own, and in others
	 * below them where something lives.
	 */
	cascade(
		tx: InternalTx,
		cancelled: ReadonlySet<TaskId>,
		reached: ReadonlySet<ConversationId>,
	): Promise<void>;
	/** Whether a conversation's work may run now; a parked one waits for a person. */
	mayRun(conversationId: ConversationId): boolean;
};

/**
 * Decides what runs. It knows nothing of conversations' runs or of kinds of tasks: it reserves what may run, carries
 * aborts down the ownership tree and ends what is ready to end. All it knows is committed, so a new process finds the
 * same answers.
 */
export function createScheduler(services: RuntimeServices, registry: RegistryReader, hooks: SchedulerHooks) {
	const { session, liveTasks } = services;
	const failedMigrations = new Map<AnyTask, unknown>();
	/** Cancelled tasks whose cascade has reached the conversations below them. */
	const cascaded = new Set<TaskId>();
	/** Signalled when the harness closes: nothing is started or tried again after it. */
	const closing = new AbortController();
	let state: "paused" | "running" | "draining" | "closing" = "paused";
	let passing: Promise<void> | undefined;
	let again = false;
	const invocations = createInvocations(services, registry, {
		resolve,
		commit,
		settle: hooks.settle,
		ended: wake,
	});

	function resolve(record: AnyTaskRecord): Resolution {
		return resolveDefinition(record, registry.snapshot(), failedMigrations);
	}

	function commit<T>(change: (tx: InternalTx) => Promise<T>): Promise<T> {
		return whenRoom(() => hooks.decide(change), services, closing.signal);
	}

	function wake(): void {
		if (state !== "running") return;
		again = true;
		passing ??= reconcile().finally(() => {
			passing = undefined;
			// A wake-up may have come between the last look and here.
			if (again) wake();
		});
	}

	async function reconcile(): Promise<void> {
		while (again && state === "running") {
			again = false;
			await tried(finishCompleted());
			await tried(carryAborts());
			for (const task of [...liveTasks.live.values()]) {
				if (state !== "running") return;
				await tried(reserve(task));
			}
		}
	}

	/** One step's failure is reported and keeps no other task from its turn. */
	async function tried(step: Promise<void>): Promise<void> {
		try {
			await step;
		} catch (error) {
			if (!session.closing) services.report(error);
		}
	}

	/** Held outcomes become terminal once the work below is done. */
	async function finishCompleted(): Promise<void> {
		const ready = [...liveTasks.live.values()].filter(canFinish);
		if (ready.length === 0) return;
		await commit(async (tx) => {
			for (const task of ready) {
				if (!canFinish(task)) continue;
				const { outcome } = task.record.state as Extract<AnyTaskRecord["state"], { status: "completing" }>;
				tx.replaceTask(withOutcome(task.record, outcome, "terminal"));
				if (outcome.status === "faulted" || outcome.status === "orphaned")
					await hooks.settle(tx, task.record, outcome);
			}
		});
	}

	function canFinish({ record }: LiveTask): boolean {
		return record.state.status === "completing" && liveTasks.below(record.id) === 0;
	}

	async function carryAborts(): Promise<void> {
		const { marks, cancelled } = marksFromAbove(liveTasks);
		for (const id of failFastMarks(liveTasks)) marks.add(id);
		const fresh = new Set([...cancelled].filter((id) => !cascaded.has(id)));
		if (marks.size === 0 && fresh.size === 0) return;
		await commit(async (tx) => {
			for (const id of marks) {
				const record = liveTasks.live.get(id)?.record;
				if (record !== undefined && !record.abortRequested) tx.replaceTask(markAborted(record));
			}
			if (fresh.size > 0) await hooks.cascade(tx, fresh, conversationsBelow(liveTasks, fresh));
		});
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
		const reserved = await commit(async (tx) => {
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
		});
		if (reserved && state === "running") invocations.start(task.record, definition, mode);
		else if (migrates && mode === "abort") again = true;
	}

	function runnableMode({ record }: LiveTask): "run" | "abort" | undefined {
		if (invocations.has(record.id) || record.state.status === "completing") return undefined;
		// It may have ended since this pass began: others were started before its turn came.
		if (record.state.status === "terminal") return undefined;
		if (record.abortRequested) return liveTasks.below(record.id) === 0 ? "abort" : undefined;
		if (!hooks.mayRun(record.conversationId)) return undefined;
		if (record.state.status === "waiting" && record.state.on.some((id) => liveTasks.live.has(id)))
			return undefined;
		return "run";
	}

	/** Aborted while no code can take it: it ends as `orphaned`, since nothing of its own could clean up. */
	async function orphan(task: LiveTask, reason: string): Promise<void> {
		await commit(async (tx) => {
			if (runnableMode(task) === "abort") await settleOrphan(tx, task.record, reason);
		});
	}

	async function settleOrphan(tx: InternalTx, record: AnyTaskRecord, reason: string): Promise<void> {
		const outcome = { status: "orphaned", reason } as const;
		tx.replaceTask(withOutcome(record, outcome, "terminal"));
		await hooks.settle(tx, record, outcome);
	}

	return {
		get state() {
			return state;
		},
		start(): void {
			if (state === "closing") throw new SessionClosed();
			if (state !== "paused") return;
			state = "running";
			wake();
		},
		wake,

		/** After each commit: signals what was told to abort, and looks for what may run now. */
		committed(publication: CommitPublication): void {
			for (const { id, abortRequested, state: taskState } of publication.tasks) {
				if (abortRequested) invocations.stopRun(id);
				if (taskState.status === "terminal") cascaded.delete(id);
			}
			if (publication.tasks.length > 0) wake();
		},

		/** Joins the run that an abort mark has signalled. */
		joined: invocations.runEnded,

		/** In a commit: marks a task for its abort, and ends it there and then when no code can take it. */
		async abort(tx: InternalTx, { record }: LiveTask): Promise<void> {
			const marked = record.abortRequested ? record : markAborted(record);
			const isHeld = record.state.status === "completing" || liveTasks.below(record.id) > 0;
			const resolution = resolve(record);
			if (resolution.kind === "blocked" && !isHeld && !invocations.has(record.id))
				await settleOrphan(tx, marked, resolution.reason);
			else if (marked !== record) tx.replaceTask(marked);
		},

		resolution: resolve,
		isRunning: invocations.has,

		/**
		 * Starts nothing more, neither tasks nor their next phases, and resolves when the phases that run have ended. Those
		 * that the next process can take up where they are, are left at once.
		 */
		async drain(): Promise<void> {
			if (state !== "closing") state = "draining";
			invocations.drain();
			await passing;
			await invocations.allEnded();
		},

		/** Signals every invocation: the harness is closing, or its store has failed. Nothing starts any more. */
		stop(): void {
			state = "closing";
			closing.abort(new SessionClosed());
			invocations.stopAll();
		},

		/** Stops and joins every invocation; writes no outcome, so that the work is taken up again. */
		async close(): Promise<void> {
			this.stop();
			await passing;
			await invocations.allEnded();
		},
	};
}

export type Scheduler = ReturnType<typeof createScheduler>;

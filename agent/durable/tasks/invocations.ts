import type { Context } from "@earendil-works/chord";
import { BACKGROUND_CONTEXT, withAbortSignal } from "@earendil-works/chord/context";
import { crashPoint } from "../crash-points.ts";
import type { InternalTx } from "../session/transaction.ts";
import type { RegistryReader } from "../types/extensions.ts";
import type { TaskId } from "../types/ids.ts";
import type { AnyTask, AnyTaskRecord, TaskOutcome } from "../types/tasks.ts";
import { withOutcome } from "./cascade.ts";
import type { AnyRuntime, Resolution, RunnableDefinition } from "./definitions.ts";
import { createRuntime, type Invocation, type RuntimeServices } from "./runtime.ts";

type Around = {
	/** The code that the registry has for a task now. */
	resolve(record: AnyTaskRecord): Resolution;
	commit<T>(change: (tx: InternalTx) => Promise<T>): Promise<T>;
	/** Cleans up after a task whose code didn't decide its outcome, in the commit that makes it terminal. */
	settle(tx: InternalTx, record: AnyTaskRecord, outcome: TaskOutcome<unknown>): Promise<void>;
	/** An invocation is over; something else may run now. */
	ended(): void;
};

/** The tasks whose code is running now: each phase after the other, until the task waits, ends or is stopped. */
export function createInvocations(services: RuntimeServices, registry: RegistryReader, around: Around) {
	const { session, liveTasks } = services;
	const invocations = new Map<TaskId, Invocation>();
	/** Tasks that go on with old code, and what was installed instead when that was reported. */
	const keptOn = new Map<TaskId, { readonly installed: AnyTask | undefined }>();
	let draining = false;

	function start(record: AnyTaskRecord, definition: RunnableDefinition, mode: "run" | "abort"): void {
		const { promise, resolve } = Promise.withResolvers<void>();
		const invocation: Invocation = {
			taskId: record.id,
			conversationId: record.conversationId,
			mode,
			controller: new AbortController(),
			over: false,
			ended: promise,
			async leavable(work) {
				invocation.isLeavable = true;
				if (draining) leave(invocation);
				try {
					return await work();
				} finally {
					invocation.isLeavable = false;
				}
			},
			isLeavable: false,
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
				keptOn.delete(record.id);
				resolve();
				around.ended();
			});
	}

	async function run(invocation: Invocation, definition: RunnableDefinition): Promise<void> {
		let record = await session.onLine(() => runningRecord(invocation));
		while (record !== undefined) {
			const failure = await callPhase(invocation, definition, record);
			if (invocation.over) return;
			const { checkpoint } = record.state as { checkpoint: unknown };
			record = await nextPhase(invocation, definition, checkpoint, failure);
			if (draining) return;
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

	/** The rules between two phases: the next record to run, or undefined to stop. Writes faults and handovers. */
	async function nextPhase(
		invocation: Invocation,
		definition: RunnableDefinition,
		checkpoint: unknown,
		failure: { readonly error: unknown } | undefined,
	): Promise<AnyTaskRecord | undefined> {
		if (session.closing) return undefined;
		const next = await around.commit(async (tx) => {
			const record = runningRecord(invocation);
			if (record === undefined || session.closing) return undefined;
			const message = faultOf(invocation, record, checkpoint, failure);
			if (message === undefined) return handOver(tx, record, definition) ? undefined : { record };
			await fault(tx, record, message);
			return { record, message };
		});
		if (next?.message === undefined) return next?.record;
		const { id, kind } = next.record;
		services.report(new Error(`Task ${id} (${kind}) faulted: ${next.message}`, { cause: failure?.error }));
		return undefined;
	}

	/**
	 * Leaves the task to the code that has taken its own code's place, if that can take it. Else it goes on with what it
	 * began with, and looks again after its next phase.
	 */
	function handOver(tx: InternalTx, record: AnyTaskRecord, definition: RunnableDefinition): boolean {
		const installed = registry.snapshot().task(record.kind);
		if ((installed?.definition as unknown) === definition) return false;
		const resolution = around.resolve(record);
		if (resolution.kind === "ready") {
			const { checkpoint } = record.state as unknown as { checkpoint: unknown };
			tx.replaceTask({ ...record, state: { status: "pending", checkpoint } } as AnyTaskRecord);
			return true;
		}
		const kept = keptOn.get(record.id);
		if (kept === undefined || kept.installed !== installed)
			services.report(
				new Error(
					`Task ${record.id} (${record.kind}) goes on with its old code: the new one can't take it (${resolution.reason}).`,
					{ cause: resolution.error },
				),
			);
		keptOn.set(record.id, { installed });
		return false;
	}

	function runningRecord(invocation: Invocation): AnyTaskRecord | undefined {
		const record = liveTasks.live.get(invocation.taskId)?.record;
		if (record?.state.status !== "running") return undefined;
		if (invocation.mode === "run" && record.abortRequested) return undefined;
		return record;
	}

	async function fault(tx: InternalTx, record: AnyTaskRecord, message: string): Promise<void> {
		const outcome = { status: "faulted", error: { message } } as const;
		const held = await liveTasks.hasWorkBelow(record.id, tx, BACKGROUND_CONTEXT);
		tx.replaceTask(withOutcome(record, outcome, held ? "completing" : "terminal"));
		if (!held) await around.settle(tx, record, outcome);
	}

	/** Cuts a phase short that stays as it is stored: whatever it still tries does nothing. */
	function leave(invocation: Invocation): void {
		invocation.over = true;
		signal(invocation);
	}

	function signal(invocation: Invocation): void {
		if (!invocation.controller.signal.aborted)
			invocation.controller.abort(new DOMException(`Task ${invocation.taskId} was stopped.`, "AbortError"));
	}

	return {
		start,
		has: (id: TaskId) => invocations.has(id),
		/** Signals the run of a task that was told to abort. */
		stopRun(id: TaskId): void {
			const invocation = invocations.get(id);
			if (invocation?.mode === "run") signal(invocation);
		},
		async runEnded(id: TaskId): Promise<void> {
			const invocation = invocations.get(id);
			if (invocation?.mode === "run") await invocation.ended;
		},
		/** No next phase begins, and phases that may be left are. */
		drain(): void {
			draining = true;
			for (const invocation of invocations.values()) if (invocation.isLeavable) leave(invocation);
		},
		stopAll(): void {
			for (const invocation of invocations.values()) signal(invocation);
		},
		async allEnded(): Promise<void> {
			while (invocations.size > 0)
				await Promise.all([...invocations.values()].map((invocation) => invocation.ended));
		},
	};
}

/** What is wrong with how the phase ended, if anything. */
function faultOf(
	{ mode }: Invocation,
	record: AnyTaskRecord,
	checkpoint: unknown,
	failure: { readonly error: unknown } | undefined,
): string | undefined {
	if (failure !== undefined) return messageOf(failure.error);
	if (mode === "abort") return "The abort handler returned without an outcome";
	const reached = (record.state as { checkpoint: unknown }).checkpoint;
	return reached === checkpoint ? "The phase returned without durable progress" : undefined;
}

function phaseOf(definition: RunnableDefinition, record: AnyTaskRecord) {
	const { phase } = (record.state as unknown as { checkpoint: { phase: string } }).checkpoint;
	const handler = definition.phases[phase];
	if (handler === undefined) throw new Error(`Task ${record.id} (${record.kind}) has no phase "${phase}"`);
	return handler;
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

import type { Context } from "@earendil-works/chord";
import { BACKGROUND_CONTEXT, withAbortSignal } from "@earendil-works/chord/context";
import type { Models } from "@earendil-works/pi-ai";
import type { Clock } from "../clock.ts";
import type { ExecutionEnv } from "../env/execution-env.ts";
import type { SessionCore } from "../session/session.ts";
import { copyStrictJson } from "../session/strict-json.ts";
import type { InternalTx } from "../session/transaction.ts";
import type { Agent, Settings } from "../types/agent.ts";
import type { ContextView } from "../types/context-view.ts";
import type { ConversationHandle } from "../types/conversation-handle.ts";
import type { DocumentReader } from "../types/documents.ts";
import type { Entry, EntryRecord } from "../types/entries.ts";
import type { RegistrySnapshot } from "../types/extensions.ts";
import type { ConversationId, EntryId, TaskId } from "../types/ids.ts";
import type { JsonValue } from "../types/json.ts";
import type { Limits } from "../types/limits.ts";
import type { Network } from "../types/network.ts";
import type { DocumentObserver } from "../types/session.ts";
import type {
	AnyTaskRecord,
	HookRunner,
	NextTaskState,
	RuntimeCommitOptions,
	SettledTask,
	TaskOutcome,
	TaskRecord,
} from "../types/tasks.ts";
import type { AnyRuntime } from "./definitions.ts";
import type { LiveTasks } from "./live-tasks.ts";
import { sleepUntil } from "./sleep.ts";
import type { Wakes } from "./wakes.ts";
import { whenRoom } from "./when-room.ts";

/** What a task may use of the harness around it. */
export type RuntimeServices = {
	readonly session: SessionCore;
	readonly clock: Clock;
	readonly liveTasks: LiveTasks;
	readonly models: Models;
	readonly network: Network | undefined;
	readonly limits: Limits;
	readonly wakes: Wakes;
	settings(): Settings;
	resolveAgent(conversationId: ConversationId, snapshot: RegistrySnapshot, context: Context): Promise<Agent>;
	env(conversationId: ConversationId, agent: Agent, context: Context): Promise<ExecutionEnv | undefined>;
	context(conversationId: ConversationId, at: EntryId | undefined, context: Context): Promise<ContextView>;
	/** A handle whose operations reject once `guard()` throws. */
	conversation(
		id: ConversationId,
		guard: () => void,
		context: Context,
	): Promise<ConversationHandle | undefined>;
	waitForTask<R>(id: TaskId<R>, context: Context): Promise<SettledTask<R>>;
	/** Running output for watchers only; see `TaskRuntime.show`. */
	show(conversationId: ConversationId, taskId: TaskId, view: string | undefined): void;
	/** A task that sleeps does nothing that could end the process. */
	sleeping(conversationId: ConversationId): void;
	report(error: unknown): void;
};

/** One run of a task's code: from its reservation to its wait, its end, or the end of the process. */
export type Invocation = {
	readonly taskId: TaskId;
	readonly conversationId: ConversationId;
	readonly mode: "run" | "abort";
	readonly controller: AbortController;
	/** Set when no more of it may reach the Session. */
	over: boolean;
	readonly ended: Promise<void>;
	leavable<T>(work: () => Promise<T>): Promise<T>;
	isLeavable: boolean;
};

/** A running task's access to the Session, for one phase. */
export function createRuntime(
	services: RuntimeServices,
	invocation: Invocation,
	snapshot: RegistrySnapshot,
): AnyRuntime {
	const { session, clock, liveTasks } = services;
	const { taskId, conversationId, controller } = invocation;
	const signal = controller.signal;
	let agentPromise: Promise<Agent> | undefined;
	services.wakes.begin(taskId);

	function guard(): void {
		if (invocation.over) throw new Error(`Task ${taskId} isn't running any more.`);
	}

	/** Ends with the call's own context or with the invocation, whichever comes first. */
	function within(context: Context): Context {
		return withAbortSignal(signal, context);
	}

	function current(): AnyTaskRecord {
		guard();
		if (session.closing) signal.throwIfAborted();
		const record = liveTasks.live.get(taskId)?.record;
		if (record === undefined || record.state.status === "completing")
			throw new Error(`Task ${taskId} has ended.`);
		if (invocation.mode === "run" && record.abortRequested)
			throw new DOMException(`Task ${taskId} is being aborted.`, "AbortError");
		return record;
	}

	async function commitOnce(
		change: Parameters<AnyRuntime["commit"]>[0],
		context: Context,
		options: RuntimeCommitOptions | undefined,
	): Promise<void> {
		const inCommit = async (tx: InternalTx) => {
			const record = current();
			const next = await change(tx, record as never);
			if (options?.progress !== false) tx.progress.add(conversationId);
			if (next === undefined || next === null) return;
			tx.replaceTask(await nextRecord(tx, record, next as NextTaskState<unknown, unknown>, context));
		};
		await session.commitInternal(inCommit, context, { conversationId, taskId });
	}

	async function nextRecord(
		tx: InternalTx,
		record: AnyTaskRecord,
		next: NextTaskState<unknown, unknown>,
		context: Context,
	): Promise<AnyTaskRecord> {
		switch (next.status) {
			case "running":
				return {
					...record,
					state: { status: "running", checkpoint: copyStrictJson(next.checkpoint, "checkpoint") },
				} as AnyTaskRecord;
			case "waiting": {
				if (invocation.mode === "abort") throw new Error(`Task ${taskId}: an abort handler can't wait.`);
				await assertCanWait(tx, record, next.on, next.policy);
				return {
					...record,
					state: {
						status: "waiting",
						checkpoint: copyStrictJson(next.checkpoint, "checkpoint"),
						on: [...next.on],
						policy: next.policy,
					},
				} as AnyTaskRecord;
			}
			case "terminal": {
				const { memos: _, ...rest } = record;
				const outcome = copyStrictJson(next.outcome, "outcome") as TaskOutcome<JsonValue>;
				// Work below that this very commit creates counts too.
				const held = await liveTasks.hasWorkBelow(taskId, tx, context);
				return { ...rest, state: { status: held ? "completing" : "terminal", outcome } } as AnyTaskRecord;
			}
		}
	}

	async function assertCanWait(
		tx: InternalTx,
		record: AnyTaskRecord,
		on: readonly TaskId[],
		policy: "failFast" | "allSettled",
	): Promise<void> {
		const above = new Set(liveTasks.live.get(taskId)!.ancestry.tasks.map(({ id }) => id));
		for (const id of on) {
			if (id === taskId || above.has(id))
				throw new Error(`Task ${taskId} can't wait for task ${id}: that one ends only after it.`);
			const other = await tx.candidateTask(id);
			if (other === undefined) throw new Error(`Task ${taskId} can't wait for task ${id}: there is none.`);
			if (policy === "failFast" && other.owner !== record.id)
				throw new Error(`Task ${taskId} can only wait failFast for tasks it owns, and task ${id} isn't.`);
		}
	}

	/** What a full disk refuses is tried again until there is room, so that no work is lost. */
	function commit(
		change: Parameters<AnyRuntime["commit"]>[0],
		context: Context,
		options?: RuntimeCommitOptions,
	): Promise<void> {
		return whenRoom(() => commitOnce(change, context, options), services, within(context).abortSignal!);
	}

	async function memo(name: string, ...rest: unknown[]): Promise<JsonValue | undefined> {
		guard();
		if (rest.length === 1) return memoOf(liveTasks.live.get(taskId)?.record, name);
		const [candidate, context] = rest as [JsonValue, Context];
		let winner: JsonValue = candidate;
		await commit(async (tx) => {
			const record = current();
			const stored = memoOf(record, name);
			if (stored !== undefined) {
				winner = stored;
				return;
			}
			winner = copyStrictJson(candidate, `memo ${name}`);
			(tx as InternalTx).replaceTask({
				...record,
				memos: { ...record.memos, [name]: winner },
			} as AnyTaskRecord);
		}, context);
		return winner;
	}

	const runtime = {
		taskId,
		conversationId,
		signal,
		registry: snapshot,
		models: services.models,
		get settings() {
			return services.settings();
		},
		hooks: createHookRunner(),
		agent(context: Context) {
			guard();
			agentPromise ??= services.resolveAgent(conversationId, snapshot, within(context));
			return agentPromise;
		},
		async env(context: Context) {
			guard();
			return services.env(conversationId, await runtime.agent(context), within(context));
		},
		commit,
		async flush(context: Context) {
			guard();
			await session.flush(context);
		},
		memo: memo as AnyRuntime["memo"],
		async conversation(id: ConversationId, context: Context) {
			guard();
			return services.conversation(id, guard, context);
		},
		async getTask<T>(id: TaskId<T>, context: Context) {
			guard();
			const live = liveTasks.live.get(id as TaskId)?.record;
			return (live ?? (await session.storage.task(id as TaskId, context))) as
				| TaskRecord<JsonValue, JsonValue, T>
				| undefined;
		},
		async waitForTask<T>(id: TaskId<T>, context: Context) {
			guard();
			return services.waitForTask(id, within(context));
		},
		async outcomes<T>(ids: readonly TaskId<T>[], context: Context) {
			const outcomes: TaskOutcome<T>[] = [];
			for (const id of ids) {
				const record = await runtime.getTask(id, context);
				if (record?.state.status !== "terminal") throw new Error(`Task ${id} hasn't ended.`);
				outcomes.push(record.state.outcome);
			}
			return outcomes;
		},
		async entry(...args: unknown[]) {
			guard();
			const token = typeof args[0] === "number" ? undefined : (args[0] as Entry<JsonValue>);
			const id = (token === undefined ? args[0] : args[1]) as EntryId;
			const context = args[args.length - 1] as Context;
			const entry: EntryRecord | undefined = (await session.storage.entry(conversationId, id, context))
				?.entry;
			return token === undefined || token.is(entry) ? entry : undefined;
		},
		async context(id: ConversationId, context: Context, options?: { readonly at?: EntryId }) {
			guard();
			return services.context(id, options?.at, context);
		},
		now: () => clock.now(),
		clock,
		network: services.network,
		limits: services.limits,
		show(view: string | undefined) {
			guard();
			services.show(conversationId, taskId, view);
		},
		leavable: invocation.leavable,
		report: services.report,
		async sleep(until: number, context: Context, lengthMs = Math.max(0, until - clock.now())) {
			guard();
			services.sleeping(conversationId);
			const over = new AbortController();
			const signalled = AbortSignal.any([within(context).abortSignal!, over.signal]);
			const wake = () =>
				Promise.race([sleepUntil(clock, until, lengthMs, signalled), services.wakes.woken(taskId)]).finally(
					() => over.abort(),
				);
			await invocation.leavable(wake);
		},
		snapshot: ((...args: Parameters<DocumentReader["snapshot"]>) => {
			guard();
			return session.snapshot(...args);
		}) as DocumentReader["snapshot"],
		snapshotAsOf: ((...args: Parameters<DocumentReader["snapshotAsOf"]>) => {
			guard();
			return session.snapshotAsOf(...args);
		}) as DocumentReader["snapshotAsOf"],
		watchDoc: ((token: never, ...args: unknown[]) => {
			guard();
			const context = within(args[args.length - 1] as Context);
			return (session.watchDoc as (...all: unknown[]) => Promise<unknown>)(
				token,
				...args.slice(0, -1),
				context,
			);
		}) as DocumentObserver["watchDoc"],
	};

	function createHookRunner(): HookRunner<Record<string, unknown>> {
		return {
			async each(name, invoke) {
				guard();
				const record = liveTasks.live.get(taskId)?.record;
				const agent = await runtime.agent(BACKGROUND_CONTEXT);
				for (const extension of agent.extensions) {
					for (const { task, handlers } of extension.hooks ?? []) {
						const handler = (handlers as Record<string, unknown>)[name as string];
						if (task !== record?.kind || handler === undefined) continue;
						try {
							await invoke(handler as never);
						} catch (error) {
							if (signal.aborted) throw error;
							services.report(error);
						}
					}
				}
			},
		};
	}

	return runtime as unknown as AnyRuntime;
}

function memoOf(record: AnyTaskRecord | undefined, name: string): JsonValue | undefined {
	const memos = record?.memos ?? {};
	return Object.hasOwn(memos, name) ? memos[name] : undefined;
}

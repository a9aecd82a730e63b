import type { Context } from "@earendil-works/chord";
import type { Models } from "@earendil-works/pi-ai";
import type { Clock } from "../clock.ts";
import type { ExecutionEnv } from "../env/execution-env.ts";
import type { Agent, Settings } from "./agent.ts";
import type { ContextView } from "./context-view.ts";
import type { ConversationHandle } from "./conversation-handle.ts";
import type { DocumentReader } from "./documents.ts";
import type { Entry, EntryRecord, TypedEntry } from "./entries.ts";
import type { RegistrySnapshot } from "./extensions.ts";
import type { ConversationId, EntryId, TaskId } from "./ids.ts";
import type { JsonValue } from "./json.ts";
import type { Limits } from "./limits.ts";
import type { Network } from "./network.ts";
import type { DocumentObserver, Tx } from "./session.ts";

export type TaskOutcomeError = { readonly message: string; readonly detail?: JsonValue };

export type TaskOutcome<R> =
	| { readonly status: "completed"; readonly result: R }
	| { readonly status: "failed"; readonly error: TaskOutcomeError; readonly result?: R }
	| { readonly status: "aborted"; readonly reason?: string; readonly result?: R }
	/** Aborted while its code was missing: nothing of its own ran, so its effects may remain. */
	| { readonly status: "orphaned"; readonly reason: string }
	/** Its own code broke: it threw, or returned without durable progress. */
	| { readonly status: "faulted"; readonly error: TaskOutcomeError };

export type JoinPolicy = "failFast" | "allSettled";

export type TaskState<S, R> =
	| { readonly status: "pending"; readonly checkpoint: S }
	| { readonly status: "running"; readonly checkpoint: S }
	/** Runs no code until every task in `on` is terminal; then resumes at `checkpoint`. */
	| {
			readonly status: "waiting";
			readonly checkpoint: S;
			readonly on: readonly TaskId[];
			readonly policy: JoinPolicy;
	  }
	/** Decided, but work it owns is still going on; terminal once that is done. Runs no more code. */
	| { readonly status: "completing"; readonly outcome: TaskOutcome<R> }
	| { readonly status: "terminal"; readonly outcome: TaskOutcome<R> };

export type TaskOwnership =
	| { readonly kind: "conversation" }
	| { readonly kind: "task"; readonly taskId: TaskId };

export type TaskRecord<I, S, R> = {
	readonly id: TaskId<R>;
	readonly conversationId: ConversationId;
	readonly kind: string;
	readonly version: number;
	readonly input: I;
	/** The task that owns it; absent when its conversation does. */
	readonly owner?: TaskId;
	readonly background: boolean;
	readonly abortRequested: boolean;
	/** Wall clock of the first change to `running`. */
	readonly startedAt?: number;
	/** Wall clock of the change to `terminal`. */
	readonly endedAt?: number;
} & (
	| {
			readonly state: Extract<TaskState<S, R>, { status: "pending" | "running" | "waiting" }>;
			readonly memos?: Readonly<Record<string, JsonValue>>;
	  }
	| {
			readonly state: Extract<TaskState<S, R>, { status: "completing" | "terminal" }>;
			readonly memos?: never;
	  }
);

export type AnyTaskRecord = TaskRecord<JsonValue, JsonValue, JsonValue>;

export type RunningTask<I, S, R> = TaskRecord<I, S, R> & {
	readonly state: Extract<TaskState<S, R>, { status: "running" }>;
};

export type SettledTask<R> = TaskRecord<JsonValue, JsonValue, R> & {
	readonly state: Extract<TaskState<JsonValue, R>, { status: "terminal" }>;
};

/** What a task may commit for itself: its next checkpoint, a wait, or its outcome. */
export type NextTaskState<S, R> = Extract<TaskState<S, R>, { status: "running" | "waiting" | "terminal" }>;

export type TaskOptions = {
	/** A task always names its owner. */
	readonly ownership: TaskOwnership;
	/** Default: the owner task's conversation, or the one the transaction is bound to. */
	readonly conversationId?: ConversationId;
	/** Of tasks a conversation owns: a plain abort, an idle wait and a cascade stop at it. */
	readonly background?: boolean;
};

export interface HookRunner<H extends object> {
	/**
	 * Calls `invoke` with each selected extension's handler of that name, in extension order. An ordinary throw is
	 * reported and the next one is called; once the invocation is signalled the error propagates.
	 */
	each<K extends keyof H>(
		name: K,
		invoke: (handler: NonNullable<H[K]>) => void | Promise<void>,
	): Promise<void>;
}

export type PhaseHandler<I, P, S, R, H extends object> = (
	task: RunningTask<I, P, R>,
	runtime: TaskRuntime<I, S, R, H>,
	context: Context,
) => Promise<void>;

/** What a commit of a running task may also say of itself. */
export type RuntimeCommitOptions = {
	/**
	 * False for presentation only (a partial answer, running output): it doesn't count as getting on, so a task that
	 * kills the process again and again is still seen to make no progress.
	 */
	readonly progress?: boolean;
};

/** A running task's only way to the Session. Everything here rejects once the invocation has ended. */
export interface TaskRuntime<I, S, R, H extends object> extends DocumentObserver, DocumentReader {
	readonly taskId: TaskId<R>;
	readonly conversationId: ConversationId;
	readonly signal: AbortSignal;
	/** The registry as of this phase's start. */
	readonly registry: RegistrySnapshot;
	readonly settings: Settings;
	readonly models: Models;
	readonly hooks: HookRunner<H>;
	/** The conversation's agent, resolved once for this phase. */
	agent(context: Context): Promise<Agent>;
	env(context: Context): Promise<ExecutionEnv | undefined>;
	/**
	 * One commit that may also move the task on: a state that `change` returns replaces the task's own in the same
	 * commit. Rejects when the task was told to abort, has ended, or the harness closes.
	 */
	commit(
		change: (
			tx: Tx,
			current: RunningTask<I, S, R>,
		) => NextTaskState<S, R> | undefined | void | Promise<NextTaskState<S, R> | undefined | void>,
		context: Context,
		options?: RuntimeCommitOptions,
	): Promise<void>;
	/** Resolves once everything committed so far would survive a power cut. */
	flush(context: Context): Promise<void>;
	/** With a candidate: the first one ever given wins and is returned. Without: the winner, if any. */
	memo<T extends JsonValue>(name: string, context: Context): Promise<T | undefined>;
	memo<T extends JsonValue>(name: string, candidate: T, context: Context): Promise<T>;
	conversation(id: ConversationId, context: Context): Promise<ConversationHandle | undefined>;
	getTask<T>(id: TaskId<T>, context: Context): Promise<TaskRecord<JsonValue, JsonValue, T> | undefined>;
	waitForTask<T>(id: TaskId<T>, context: Context): Promise<SettledTask<T>>;
	/** Outcomes of terminal tasks, in order; rejects when one isn't terminal. */
	outcomes<T>(ids: readonly TaskId<T>[], context: Context): Promise<TaskOutcome<T>[]>;
	entry(id: EntryId, context: Context): Promise<EntryRecord | undefined>;
	entry<D extends JsonValue>(
		token: Entry<D>,
		id: EntryId,
		context: Context,
	): Promise<TypedEntry<D> | undefined>;
	context(
		conversationId: ConversationId,
		context: Context,
		options?: { readonly at?: EntryId },
	): Promise<ContextView>;
	now(): number;
	readonly clock: Clock;
	/** Absent when the host doesn't watch it. */
	readonly network: Network | undefined;
	/** The limits of providers' accounts that conversations wait for now. */
	readonly limits: Limits;
	/**
	 * Replaces the running output that watchers see of this task, storing nothing; undefined takes it away. For what can
	 * be made again from something durable.
	 */
	show(view: string | undefined): void;
	/**
	 * Runs work that the next process can take up where it is. A harness that drains doesn't wait for it: it signals the
	 * invocation, and nothing that the phase does after that is stored.
	 */
	leavable<T>(work: () => Promise<T>): Promise<T>;
	report(error: unknown): void;
	/**
	 * Until a time of the harness clock, in ms since the epoch, but never longer than `lengthMs` (default: what is left
	 * until then now), whatever is done to the clock meanwhile, nor than a person wants to wait (`tryNow()`). Rejects
	 * when the invocation is signalled.
	 */
	sleep(until: number, context: Context, lengthMs?: number): Promise<void>;
}

export type TaskDefinition<I, S extends { phase: string }, R, H extends object> = {
	readonly name: string;
	readonly version: number;
	initial(input: I): S;
	readonly phases: { [P in S["phase"]]: PhaseHandler<I, Extract<S, { phase: P }>, S, R, H> };
	/** Undoes what was done and commits the outcome; starts once everything the task owns is done. */
	abort(task: RunningTask<I, S, R>, runtime: TaskRuntime<I, S, R, H>, context: Context): Promise<void>;
	migrate?(input: JsonValue, checkpoint: JsonValue, fromVersion: number): { input: I; checkpoint: S };
	readonly hooks?: H;
};

export interface Task<I, S extends { phase: string }, R, H extends object> {
	readonly definition: TaskDefinition<I, S, R, H>;
}

/** A task whose types are not known here, as a registry holds it. */
export type AnyTask = {
	readonly definition: {
		readonly name: string;
		readonly version: number;
		readonly initial: unknown;
		readonly phases: Readonly<Record<string, unknown>>;
		readonly abort: unknown;
		readonly migrate?: unknown;
		readonly hooks?: object;
	};
};

// biome-ignore lint/complexity/noBannedTypes: "no hooks" is the empty object type, as in Pi Durable's own signature
export function defineTask<I, S extends { phase: string }, R, H extends object = {}>(
	definition: TaskDefinition<I, S, R, H>,
): Task<I, S, R, H> {
	return { definition };
}

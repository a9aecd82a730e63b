import type { Context } from "@earendil-works/chord";
import type { Models, Usage } from "@earendil-works/pi-ai";
import type { Clock } from "../clock.ts";
import type { ExecutionEnv } from "../env/execution-env.ts";
import type { Agent, AgentChange, HarnessSettings } from "./agent.ts";
import type { ContextView } from "./context-view.ts";
import type { Submission } from "./conversation-handle.ts";
import type { ConversationOwnership, ConversationRecord } from "./conversations.ts";
import type { DocumentReader } from "./documents.ts";
import type { EntryRecord } from "./entries.ts";
import type { RegistryReader } from "./extensions.ts";
import type { ConversationId, EntryId, SubmissionId, TaskId } from "./ids.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { CompactionResult, UsageState } from "./live.ts";
import type { Network } from "./network.ts";
import type { SearchHit, SearchOptions } from "./search.ts";
import type { AttachedReplicatedState, Session, Tx, WatchHandle } from "./session.ts";
import type { ConversationQuery, Cursor, EntryQuery, Page, SubmissionQuery, TaskQuery } from "./storage.ts";
import type { SubmissionDraft, SubmissionRecord } from "./submissions.ts";
import type { TaskGraph, TaskGraphWatch } from "./task-graph.ts";
import type { AnyTaskRecord, SettledTask, TaskRecord } from "./tasks.ts";
import type { ToolRegistration } from "./tools.ts";

/** Runs inside the creating commit, after the creation hook and the `agent` change. */
export type ConversationInit = (tx: Tx, conversationId: ConversationId) => void | Promise<void>;

export type ConversationCreateOptions = {
	readonly ownership: ConversationOwnership;
	readonly agent?: AgentChange;
	readonly init?: ConversationInit;
};

/** What one request or call spent. */
export type Spent = {
	readonly conversationId: ConversationId;
	/** The conversation at the top of those that own it. */
	readonly root: ConversationId;
	/** `provider/model`, or `tool/name` for what the execution of a tool spent itself. */
	readonly on: string;
	readonly usage: Usage;
};

/** What one commit spends, and the runs that end with it. */
export type Account = {
	readonly spent: readonly Spent[];
	readonly ended: readonly {
		readonly conversationId: ConversationId;
		readonly root: ConversationId;
		readonly run: SubmissionId;
	}[];
};

export type HarnessOptions<Tool extends ToolRegistration = ToolRegistration> = {
	readonly models: Models;
	readonly registry: RegistryReader<Tool>;
	readonly settings?: HarnessSettings;
	/** Builds a conversation's environment; never called on the Session line. */
	readonly env?: (
		target: { readonly conversationId: ConversationId; readonly cwd?: string; readonly read: DocumentReader },
		context: Context,
	) => ExecutionEnv | undefined | Promise<ExecutionEnv | undefined>;
	/** Runs in every commit that creates or forks a conversation. */
	readonly conversationCreated?: (tx: Tx, conversation: ConversationRecord) => void | Promise<void>;
	/**
	 * Runs in every commit that spends something or ends a run: what it changes is stored with it or not at all. It should
	 * not throw: nothing of what happened could then be stored, so the run ends as `faulted` and says why, and that end
	 * is stored without it.
	 */
	readonly account?: (tx: Tx, account: Account) => void | Promise<void>;
	/** Wall clock in ms since the epoch; default `Date.now`. */
	readonly now?: () => number;
	/** Wall clock, monotonic clock and timers together; replaces `now`. */
	readonly clock?: Clock;
	/** Watches the machine's network (`createNetwork`); without it no failure is the network's. */
	readonly network?: Network;
	/** Hears of failures that end nothing: a hook that threw, a section that could not be rendered. */
	readonly onReport?: (error: unknown) => void;
};

export type TaskInspection = {
	readonly record: AnyTaskRecord;
	readonly state:
		| { readonly kind: "running" }
		| { readonly kind: "ready"; readonly migrates: boolean }
		| { readonly kind: "waiting"; readonly on: readonly TaskId[] }
		| { readonly kind: "completing" }
		/** Its conversation kept ending the process and waits for a person. */
		| { readonly kind: "parked" }
		| {
				readonly kind: "blocked";
				readonly reason: "missing_task" | "task_too_old" | "migration_failed";
				readonly error?: unknown;
		  };
};

export type HarnessInspection = {
	readonly scheduling: "paused" | "running" | "closing";
	readonly tasks: readonly TaskInspection[];
	readonly submissions: readonly SubmissionRecord[];
};

/** What a client sees of a conversation: the newest entries of the active transcript, and its documents. */
export type ConversationView = {
	readonly conversation: ConversationRecord;
	readonly entries: readonly EntryRecord[];
	/** `pi.agent`, `pi.live`, `pi.inbox`, `pi.provider`, `pi.usage`, `pi.resume`, and `pi.output`, by kind. */
	readonly docs: Readonly<Record<string, JsonObject>>;
};

export type ConversationWatch = WatchHandle<ConversationView>;

export type ViewOptions = {
	/** How many of the newest entries the view holds at most; default 200. */
	readonly tail?: number;
};

export type AbortOptions = {
	/** Background tasks too. */
	readonly background?: boolean;
	/** Only when this input is part of the run that is going on; else nothing is done. */
	readonly run?: SubmissionId;
};

/** A handle; it holds no state. Compare by `id`. */
export interface Conversation {
	readonly id: ConversationId;
	submit(submission: SubmissionDraft, context: Context): Promise<Submission>;
	agent(context: Context): Promise<Agent>;
	configure(change: AgentChange, context: Context): Promise<void>;
	/** A Session commit whose `createTask` defaults to this conversation. */
	commit<T>(change: (tx: Tx) => T | Promise<T>, context: Context): Promise<T>;
	/** What the model sees; with `at`, as of that visible entry: what a fork at it starts with. Rejects for another one. */
	context(context: Context, options?: { readonly at?: EntryId }): Promise<ContextView>;
	entries(
		query: Omit<EntryQuery, "conversationId">,
		limit: number,
		cursor: Cursor | undefined,
		context: Context,
	): Promise<Page<EntryRecord, Cursor>>;
	/**
	 * A new conversation that sees this one's entries up to and including `at`, and goes on by itself: nothing is copied
	 * but the documents that say so. It starts with the agent this one had at that entry, an empty inbox, no run, no
	 * spend, and a provider identity of its own. Rejects when `at` isn't part of this conversation.
	 */
	fork(at: EntryId, options: ConversationCreateOptions, context: Context): Promise<Conversation>;
	/**
	 * Starts a compaction by hand; `instructions` say what its summary shall dwell on. The conversation goes on meanwhile:
	 * `waitForTask()` tells what came of it. Its result has no `submissionId` when there was nothing to compact or a hook
	 * declined; else that submission is `done` once the summary is in the transcript, or `unanswered` as `stale`.
	 */
	compact(instructions: string | undefined, context: Context): Promise<TaskId<CompactionResult>>;
	/**
	 * Starts a new context, from this note when there is one; the older entries stay stored. Resolves once it is
	 * admitted: while the conversation is busy it takes place at the next turn.
	 */
	reset(handoff: string | undefined, context: Context): Promise<void>;
	/**
	 * Stops its work and takes queued inputs back. Resolves when idle (with `run`: once that work has ended), false when
	 * there was nothing to do.
	 */
	abort(context: Context, options?: AbortOptions): Promise<boolean>;
	/**
	 * Ends its wait before the next attempt, whatever it waits for. Resolves once that is stored, false when it doesn't
	 * wait.
	 */
	tryNow(context: Context): Promise<boolean>;
	waitForIdle(context: Context): Promise<void>;
	viewState(context: Context, options?: ViewOptions): Promise<AttachedReplicatedState<ConversationView>>;
	watch(context: Context, options?: ViewOptions): Promise<ConversationWatch>;
}

export interface Harness extends Session {
	/** Starts the scheduler: work that the last process left unfinished goes on. */
	resume(): void;
	/**
	 * `Conversation.submit()` as a part of a larger commit, also of the one that creates the conversation; neither
	 * resumes the harness nor flushes. Reads tables, so it comes before the commit's first table write unless the
	 * conversation is new in it.
	 */
	admit(tx: Tx, conversationId: ConversationId, submission: SubmissionDraft): Promise<SubmissionRecord>;
	/**
	 * `Conversation.compact()` as a part of a larger commit; neither resumes the harness nor flushes. It reads no table.
	 */
	startCompaction(
		tx: Tx,
		conversationId: ConversationId,
		instructions: string | undefined,
	): Promise<TaskId<CompactionResult>>;
	root(
		context: Context,
		options?: { readonly agent?: AgentChange; readonly init?: ConversationInit },
	): Promise<Conversation>;
	conversation(id: ConversationId, context: Context): Promise<Conversation | undefined>;
	createConversation(options: ConversationCreateOptions, context: Context): Promise<Conversation>;
	conversations(
		query: ConversationQuery,
		limit: number,
		cursor: Cursor | undefined,
		context: Context,
	): Promise<Page<ConversationRecord, Cursor>>;
	entries(
		query: EntryQuery,
		limit: number,
		cursor: Cursor | undefined,
		context: Context,
	): Promise<Page<EntryRecord, Cursor>>;
	/**
	 * Entries whose text holds every word of the query, each also as a part of a longer word, newest first: whatever a
	 * reset or a compaction has cut off too. A query of nothing but white space finds nothing.
	 */
	search(query: string, options: SearchOptions, context: Context): Promise<Page<SearchHit, Cursor>>;
	submissions(
		query: SubmissionQuery,
		limit: number,
		cursor: Cursor | undefined,
		context: Context,
	): Promise<Page<SubmissionRecord, Cursor>>;
	tasks(
		query: TaskQuery,
		limit: number,
		cursor: Cursor | undefined,
		context: Context,
	): Promise<Page<AnyTaskRecord, Cursor>>;
	getTask<R>(id: TaskId<R>, context: Context): Promise<TaskRecord<JsonValue, JsonValue, R> | undefined>;
	inspect(context: Context): Promise<HarnessInspection>;
	/** Every live task and who owns it, as a live value. */
	taskGraph(context: Context): Promise<AttachedReplicatedState<TaskGraph>>;
	watchTaskGraph(context: Context): Promise<TaskGraphWatch>;
	submission(id: SubmissionId, context: Context): Promise<Submission | undefined>;
	abortSubmission(
		id: SubmissionId,
		context: Context,
		conversationId?: ConversationId,
	): Promise<"aborted" | "already_placed" | "settled" | "not_found">;
	abortTask(id: TaskId, context: Context): Promise<"marked" | "terminal">;
	waitForTask<R>(id: TaskId<R>, context: Context): Promise<SettledTask<R>>;
	waitForIdle(context: Context): Promise<void>;
	/**
	 * Comes before `close()` where work shouldn't be cut off: nothing starts any more, phases that run may end, and what
	 * the next process can take up where it is (waits, calls of tools with `recover()`) is left to it. What is handed in
	 * is still stored, and waits for that process too. There is no way back.
	 *
	 * @param withinMs how long to wait for phases, in ms
	 * @returns whether all of them ended in time; `close()` cuts the others
	 */
	drain(withinMs: number, context: Context): Promise<boolean>;
	/** The sum of every conversation's `pi.usage`. */
	usage(context: Context): Promise<UsageState>;
}

import type { Context } from "@earendil-works/chord";
import type { Models, Tool, ToolResultMessage, Usage } from "@earendil-works/pi-ai";
import type { Static } from "@earendil-works/pi-schema";
import type { ExecutionEnv } from "../env/execution-env.ts";
import type { Agent } from "./agent.ts";
import type { ConversationHandle } from "./conversation-handle.ts";
import type { DocumentReader } from "./documents.ts";
import type { RegistrySnapshot } from "./extensions.ts";
import type { ConversationId, EntryId, TaskId } from "./ids.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { DocumentObserver, Tx } from "./session.ts";
import type { SettledTask, Task, TaskOptions, TaskRecord } from "./tasks.ts";

export type ToolExecutionMode = "parallel" | "sequential";

/** What a result asks of the run. */
export type ToolControl = {
	readonly addTools?: readonly string[];
	/** When every result of a round asks for it, the run ends without another model request. */
	readonly terminate?: true;
	/** Ends the run and starts a new context from this note. */
	readonly handoff?: string;
};

/** A remark about a call, for the model and for people; never part of the tool's data. */
export type ToolDiagnostic = {
	readonly severity: "info" | "warn" | "error";
	readonly message: string;
	readonly code?: string;
};

export type ToolExecutionResult<TDetails extends JsonValue = JsonValue> = {
	/** Absent: the running output becomes the content. */
	readonly content?: ToolResultMessage["content"];
	readonly isError?: boolean;
	readonly details?: TDetails;
	readonly diagnostics?: readonly ToolDiagnostic[];
	/** Spend of the execution itself. */
	readonly usage?: Usage;
	readonly control?: ToolControl;
};

/** What a running call has to work with. */
export interface ToolExecutionApi<TDetails extends JsonValue = JsonValue>
	extends DocumentObserver,
		DocumentReader {
	readonly taskId: TaskId;
	readonly conversationId: ConversationId;
	readonly callId: string;
	readonly registry: RegistrySnapshot;
	readonly models: Models;
	/** Built by `HarnessOptions.env` for this call. */
	readonly env: ExecutionEnv | undefined;
	/** What the tool's `intent()` returned, as it was stored before the first `execute()`. */
	readonly intent: JsonValue | undefined;
	agent(context: Context): Promise<Agent>;
	/** Appends running output: kept within the tool's limits, committed at most every `progress.outputIntervalMs`. */
	output(chunk: string | Uint8Array): void;
	/**
	 * Replaces the output that watchers see, storing nothing. For a tool whose output is already durable elsewhere (a
	 * command's spool): the view of it is made again after a crash, so storing it would only cost.
	 */
	show(view: string): void;
	diagnostic(diagnostic: ToolDiagnostic): void;
	/** Replaces the running details; resolves once committed. */
	details(value: TDetails, context: Context): Promise<void>;
	commit<T>(change: (tx: Tx) => T | Promise<T>, context: Context): Promise<T>;
	/** Resolves once everything committed so far would survive a power cut. */
	flush(context: Context): Promise<void>;
	memo<T extends JsonValue>(name: string, context: Context): Promise<T | undefined>;
	memo<T extends JsonValue>(name: string, candidate: T, context: Context): Promise<T>;
	createTask<I, S extends { phase: string }, R, H extends object>(
		task: Task<I, S, R, H>,
		input: I,
		options: Omit<TaskOptions, "conversationId">,
		context: Context,
	): Promise<TaskId<R>>;
	getTask<R>(id: TaskId<R>, context: Context): Promise<TaskRecord<JsonValue, JsonValue, R> | undefined>;
	waitForTask<R>(id: TaskId<R>, context: Context): Promise<SettledTask<R>>;
	conversation(id: ConversationId, context: Context): Promise<ConversationHandle | undefined>;
	/** The harness clock, in ms since the epoch. */
	now(): number;
	/** As `TaskRuntime.sleep()`: until a time of the harness clock, never longer than `lengthMs`. */
	sleep(until: number, context: Context, lengthMs?: number): Promise<void>;
}

/** Why a call is being stopped. */
export type ToolStopReason = "aborted";

/** A tool the model can call. `parameters` is any JSON Schema; pi-schema's builders also type `args`. */
export type ToolRegistration<
	TParameters extends object = object,
	TDetails extends JsonValue = JsonValue,
> = Tool<TParameters> & {
	/** Default `unsafe`: after a crash in the middle the model is told, and the call isn't run again. */
	readonly replay?: "safe" | "unsafe";
	/** One `sequential` call makes its whole round sequential. */
	readonly executionMode?: ToolExecutionMode;
	/**
	 * Pure repair of arguments as models get them wrong; validation still checks its result. `note` is told each repair,
	 * in words for people; they are stored with the call.
	 */
	prepareArguments?(args: unknown, note?: (repair: string) => void): Static<TParameters>;
	readonly outputLimits?: {
		readonly maxBytes?: number;
		readonly maxLines?: number;
		readonly retain?: "head" | "tail";
	};
	/** What `recover()` must find again. Committed with the arguments, and on disk, before `execute()` runs. */
	intent?(args: Static<TParameters>): JsonValue;
	execute(
		args: Static<TParameters>,
		api: ToolExecutionApi<TDetails>,
		context: Context,
	): Promise<ToolExecutionResult<TDetails>>;
	/**
	 * Asked first when a crash cut the call off: it may pick up work that is still going on and see it to its end.
	 * Undefined leaves the call to its replay policy.
	 */
	recover?(
		args: Static<TParameters>,
		api: ToolExecutionApi<TDetails>,
		context: Context,
	): Promise<ToolExecutionResult<TDetails> | undefined>;
	/**
	 * Ends what the call started outside this process, when the call is aborted: in the abort invocation, after
	 * `execute()` has returned, also after a crash. Its result is what the model gets of the stopped call; undefined
	 * leaves that to the harness. It may run again after a crash.
	 */
	stop?(
		args: Static<TParameters>,
		api: ToolExecutionApi<TDetails>,
		context: Context,
	): Promise<ToolExecutionResult<TDetails> | undefined>;
};

/** Infers `args` from `parameters` and the details from what is reported. */
export function defineTool<TParameters extends object, TDetails extends JsonValue = JsonValue>(
	tool: ToolRegistration<TParameters, TDetails>,
): ToolRegistration<TParameters, TDetails> {
	return tool;
}

export type ToolTaskInput = { assistant: EntryId; callId: string };
export type ToolTaskCheckpoint =
	| { phase: "call" }
	| { phase: "execute"; arguments: JsonObject; replay: "safe" | "unsafe"; intent?: JsonValue };
export type ToolTaskResult = { entryId: EntryId; control?: ToolControl };

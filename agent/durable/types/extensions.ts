import type { Context } from "@earendil-works/chord";
import type { AssistantMessage, Message, Models, ToolCall } from "@earendil-works/pi-ai";
import type { ExecutionEnv } from "../env/execution-env.ts";
import type { Agent } from "./agent.ts";
import type { DocumentReader } from "./documents.ts";
import type { EntryRecord } from "./entries.ts";
import type { ConversationId, EntryId, TaskId } from "./ids.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { CompactionReason } from "./live.ts";
import type { UserInput } from "./submissions.ts";
import type { AnyTask, Task } from "./tasks.ts";
import type { ToolExecutionResult, ToolRegistration } from "./tools.ts";

export type PromptInput<Tool extends ToolRegistration = ToolRegistration> = {
	readonly conversationId: ConversationId;
	/** As resolved for this request; `agent.tools` are the tools it offers. */
	readonly agent: Agent<Tool>;
	readonly env: ExecutionEnv | undefined;
	/** Sections the transcript already shows the model. */
	readonly shown: Readonly<Record<string, string>>;
	readonly read: DocumentReader;
};

export type PromptSection<Tool extends ToolRegistration = ToolRegistration> = {
	readonly key: string;
	/** Undefined leaves the section out. Equal inputs must give equal text, or prompt caches are of no use. */
	render(input: PromptInput<Tool>, context: Context): string | undefined | Promise<string | undefined>;
	/** Default true: the text is wrapped as `<key>\n...\n</key>`. */
	readonly tag?: boolean;
};

/** Built by `hook()`; finds its task by name, so it survives a reload of the task. */
export type HookRegistration = { readonly task: string; readonly handlers: object };

/** Built by `wrapTool()` and `wrapSection()`. */
export type Wrap<Tool extends ToolRegistration = ToolRegistration> =
	| { readonly tool: string; wrap(tool: Tool): Tool }
	| { readonly section: string; wrap(section: PromptSection<Tool>): PromptSection<Tool> };

export interface Extension<Tool extends ToolRegistration = ToolRegistration> {
	readonly name: string;
	readonly tools?: readonly Tool[];
	readonly sections?: readonly PromptSection<Tool>[];
	readonly hooks?: readonly HookRegistration[];
	/** Apply where this extension is selected, in order. */
	readonly wraps?: readonly Wrap<Tool>[];
	/** Found by name for every task, whichever conversations select the extension. */
	readonly tasks?: readonly AnyTask[];
}

export interface RegistrySnapshot<Tool extends ToolRegistration = ToolRegistration> {
	installed(): readonly Extension<Tool>[];
	extension(name: string): Extension<Tool> | undefined;
	tools(): readonly { readonly extension: Extension<Tool>; readonly tool: Tool }[];
	sections(): readonly { readonly extension: Extension<Tool>; readonly section: PromptSection<Tool> }[];
	/** Built-in and installed. */
	tasks(): readonly AnyTask[];
	task(name: string): AnyTask | undefined;
}

export interface RegistryReader<Tool extends ToolRegistration = ToolRegistration> {
	/** An immutable view of the whole registry as it is now. */
	snapshot(): RegistrySnapshot<Tool>;
	/** Called synchronously after every change. */
	subscribe(listener: () => void): () => void;
}

export interface Registry<Tool extends ToolRegistration = ToolRegistration> extends RegistryReader<Tool> {
	/** Adds the extension, or replaces the installed one of that name in its place, in one step. */
	install(extension: Extension<Tool>): void;
	/** Removes the installed extension of that name, whichever object it is. */
	uninstall(extension: Extension<Tool>): void;
}

export type HooksOf<K> = K extends Task<infer _I, infer _S, infer _R, infer H> ? H : never;

type HookResult<T> = T | undefined | void | Promise<T | undefined | void>;

/** Committed reads, and the asking task's memos: a decision is stored with `memo()`, and the first write wins. */
export interface HookApi extends DocumentReader {
	readonly taskId: TaskId;
	readonly conversationId: ConversationId;
	readonly models: Models;
	memo<T extends JsonValue>(name: string, context: Context): Promise<T | undefined>;
	memo<T extends JsonValue>(name: string, candidate: T, context: Context): Promise<T>;
}

export interface GenerationHooks {
	/** Before every request, also a repeated one; replaces the messages of this request only. */
	beforeRequest(
		request: { readonly messages: readonly Message[] },
		api: HookApi,
		context: Context,
	): HookResult<{ readonly messages: readonly Message[] }>;
	/** Every response as it ended, before it is judged. */
	afterResponse(message: AssistantMessage, api: HookApi, context: Context): void | Promise<void>;
	/** A final answer; `continue` appends a user message and the run goes on. The first one wins. */
	onYield(
		answer: AssistantMessage,
		api: HookApi,
		context: Context,
	): HookResult<{ readonly continue: UserInput }>;
	/** Once every tool of a round is done; `results` are its result entries in call order. */
	afterTools(
		assistant: EntryId,
		results: readonly EntryId[],
		api: HookApi,
		context: Context,
	): void | Promise<void>;
}

export interface ToolHooks {
	/** Before the intent is stored: replaces the arguments, or blocks the call with a text. A throw blocks. */
	beforeTool(
		call: ToolCall,
		api: HookApi,
		context: Context,
	): HookResult<{ readonly arguments?: JsonObject; readonly block?: string }>;
	/** After execution, before the result entry; replaces the result. */
	afterTool(
		call: ToolCall,
		result: ToolExecutionResult,
		api: HookApi,
		context: Context,
	): HookResult<ToolExecutionResult>;
	/** In the abort invocation, once what the call owned is done; replaces the aborted result. */
	onAbort(
		call: ToolCall,
		result: ToolExecutionResult,
		api: HookApi,
		context: Context,
	): HookResult<ToolExecutionResult>;
}

export interface CompactionHooks {
	/** Before summarizing; the first decision wins. */
	beforeCompact(
		compaction: {
			readonly reason: CompactionReason;
			readonly entries: readonly EntryRecord[];
			readonly messages: readonly Message[];
			readonly firstKept: EntryId;
			readonly instructions?: string;
		},
		api: HookApi,
		context: Context,
	): HookResult<{ readonly decline: true } | { readonly summary: string }>;
}

import type { CacheRetention, ModelThinkingLevel, Transport } from "@earendil-works/pi-ai";
import type { Extension, PromptSection } from "./extensions.ts";
import type { JsonObject } from "./json.ts";
import type { ToolExecutionMode, ToolRegistration } from "./tools.ts";

export type ModelRef = { readonly provider: string; readonly modelId: string };

/** What someone chose for one conversation: names, never code. Unset fields follow the host. */
export type AgentState = {
	model?: { provider: string; modelId: string };
	thinkingLevel?: ModelThinkingLevel;
	/** An array selects exactly these, in order; an object edits the host's default. */
	extensions?: string[] | { add?: string[]; remove?: string[] };
	/** An array offers exactly these, in order. */
	tools?: string[] | { remove: string[] };
	/** Rendered last, as the section `instructions`. */
	instructions?: string;
	/** Working directory, handed to `HarnessOptions.env`. */
	cwd?: string;
};

/** A field given replaces the stored one, `null` clears it, `undefined` changes nothing. */
export type AgentChange = {
	readonly model?: ModelRef | null;
	readonly thinkingLevel?: ModelThinkingLevel | null;
	readonly extensions?:
		| readonly Extension[]
		| { readonly add?: readonly Extension[]; readonly remove?: readonly Extension[] }
		| null;
	readonly tools?: readonly NamedTool[] | { readonly remove: readonly NamedTool[] } | null;
	readonly instructions?: string | null;
	readonly cwd?: string | null;
};

/** A tool object stands for its name. */
export type NamedTool = { readonly name: string };

/** A conversation's agent, its names resolved against one registry snapshot and the settings. */
export type Agent<Tool extends ToolRegistration = ToolRegistration> = {
	readonly model?: ModelRef;
	readonly thinkingLevel: ModelThinkingLevel;
	readonly extensions: readonly Extension<Tool>[];
	readonly tools: readonly Tool[];
	/** The extensions' sections, then `instructions` when set. */
	readonly sections: readonly PromptSection<Tool>[];
	readonly instructions?: string;
	readonly cwd?: string;
};

/** How many waiting items of one mode a boundary places. */
export type QueueMode = "all" | "one-at-a-time";

/** pi-ai request options a host may set; absent ones are pi-ai's. */
export type ConversationStreamOptions = {
	transport?: Transport;
	timeoutMs?: number;
	/** The provider's own retries inside one request. */
	maxRetries?: number;
	maxRetryDelayMs?: number;
	headers?: Record<string, string>;
	metadata?: JsonObject;
	cacheRetention?: CacheRetention;
	deferred?: boolean | { window?: "15m" | "1h" | "24h" };
};

export type ConversationRetryPolicy = {
	enabled: boolean;
	/** Retries after the first attempt. */
	maxRetries: number;
	baseDelayMs: number;
	maxAgentDelayMs?: number;
	/** How often a run goes on by itself after a wait that a provider or the network imposed. */
	maxResumptions: number;
};

export type CompactionPolicy = {
	/** Automatic compaction; by hand always works. */
	enabled: boolean;
	/** Room kept free for the answer, in tokens. */
	reserveTokens: number;
	/** Roughly how much recent context stays verbatim, in tokens. */
	keepRecentTokens: number;
	/** How far below the blocking threshold the background one lies, in tokens; 0 disables it. */
	backgroundTokens: number;
};

export type ProgressPolicy = {
	/** Least time between two commits of a partial answer, in ms. */
	partialIntervalMs: number;
	/** Least time between two commits of running output, in ms. */
	outputIntervalMs: number;
};

/** Run policy of every conversation, read at each use and never stored, so getters make it live. */
export type HarnessSettings = {
	/** Default selection; absent: every installed extension, in install order. */
	readonly extensions?: readonly Extension[];
	readonly stream?: ConversationStreamOptions;
	readonly retry?: Partial<ConversationRetryPolicy>;
	readonly compaction?: Partial<CompactionPolicy>;
	readonly progress?: Partial<ProgressPolicy>;
	readonly toolExecution?: ToolExecutionMode;
	readonly steeringMode?: QueueMode;
	readonly followUpMode?: QueueMode;
	/** How long an idle conversation's context stays in memory, in ms. */
	readonly contextRetentionMs?: number;
};

/** Settings with every default filled in. */
export type Settings = {
	readonly extensions?: readonly Extension[];
	readonly stream: ConversationStreamOptions;
	readonly retry: ConversationRetryPolicy;
	readonly compaction: CompactionPolicy;
	readonly progress: ProgressPolicy;
	readonly toolExecution: ToolExecutionMode;
	readonly steeringMode: QueueMode;
	readonly followUpMode: QueueMode;
	readonly contextRetentionMs: number;
};

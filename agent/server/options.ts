import type { Context } from "@earendil-works/chord";
import type { FileSystem } from "../durable/env/file-system.ts";
import type { ConversationId, Harness, JsonValue, TaskId } from "../durable/index.ts";
import type { Catalog } from "../models/catalog.ts";
import type { Log } from "../platform/log.ts";
import type { After, Params } from "../protocol/index.ts";
import type { Sessions } from "../sessions/service.ts";
import type { Spending } from "../sessions/spending/spending.ts";
import type { HealthSource } from "./sources/list-source.ts";

export type ServerLog = Pick<Log, "debug" | "info" | "warn" | "error">;

/** What the agent says of itself. */
export type AgentFacts = {
	readonly version: string;
	/** In ms since the epoch. */
	readonly startedAt: number;
	readonly dataDirectory: string;
};

/** A call whose output a client asks for. */
export type OutputCall = {
	readonly conversationId: ConversationId;
	readonly callId: string;
	readonly toolName: string;
	/** The task that runs, or ran, the call. */
	readonly taskId: TaskId | undefined;
	/** The details of its result, or its running ones. */
	readonly details: JsonValue | undefined;
	/** Whether its result is in the transcript. */
	readonly finished: boolean;
};

/** A piece of output, kept by whoever ran the call. */
export type KeptOutput = {
	readonly bytes: Uint8Array;
	/** Where `bytes` begins: after the gap when `offset` was asked for inside it. */
	readonly offset: number;
	/** How much there is so far, what is no longer kept counted. */
	readonly total: number;
	readonly complete: boolean;
	readonly gap?: { readonly from: number; readonly to: number };
};

/** What the server works with. It keeps nothing but its connections, and what they watch. */
export type ServerOptions = {
	readonly harness: Harness;
	readonly sessions: Sessions;
	/** Clients are welcomed before it resolves, requests answered after; when it rejects, with an error. Default: at once. */
	readonly ready?: Promise<void>;
	readonly catalog: Pick<Catalog, "list" | "defaultModel" | "models" | "setKey">;
	/** What all sessions spent. */
	readonly spending: Pick<Spending, "today" | "subscribe" | "report">;
	readonly agent: AgentFacts;
	readonly health: HealthSource;
	/** The person's files, for `@` and for a folder picker; relative paths and `~` start at their home. */
	readonly files: FileSystem;
	readonly log: ServerLog;
	/** How many retries the harness makes after a first attempt. */
	readonly maxRetries: () => number;
	/** Begins to end the agent and returns at once. The server's own part in it is `close()`. */
	readonly shutdown: (when: "idle" | "now") => void;
	/**
	 * Ends the agent for the one that asks. Resolves when the end has begun; rejects with what the client is told, or when
	 * the signal says that it has gone.
	 */
	readonly handOver: (to: Params<"agent.handover">, signal: AbortSignal) => Promise<void>;
	/** What it was told about its end, if anything. */
	readonly endsWhen: () => "idle" | "now" | undefined;
	/** Up to `limit` bytes from `offset` of what a call wrote; undefined when nobody kept it beside the transcript. */
	readonly readOutput: (
		call: OutputCall,
		offset: number,
		limit: number,
		context: Context,
	) => Promise<KeptOutput | undefined>;
	/** Ends what a finished call left running; false when there was nothing. */
	readonly stopBackground: (conversationId: ConversationId, callId: string) => Promise<boolean>;
	/** How long `close()` waits for requests that are being answered, in ms; default 1,000. */
	readonly graceMs?: number;
	readonly after?: After;
};

import type { Cut } from "../cut.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Spend } from "./usage.ts";

/** An image that is fetched when it is shown: `session.output` takes `ref` as its `call` and returns the bytes. */
export type ImageReference = { ref: string; mimeType: string; bytes: number };

export type Thinking = { text: string; cut?: Cut };

export type ToolCall = {
	id: string;
	name: string;
	arguments: JsonObject;
	/** Long strings in `arguments` are shortened; counts their characters. */
	cut?: Cut;
	/** What the model really sent, when its arguments had to be repaired, and what was done. */
	repair?: { note: string; sent: JsonValue };
	/** The name the model knows the tool by, where that is another. */
	calledAs?: string;
};

/** A remark about a call, for people and the model. */
export type Diagnostic = { severity: "info" | "warn" | "error"; message: string; code?: string };

type EntryBase = {
	id: string;
	/** `pi.user`, `pi.assistant`, `pi.tool-result`, `pi.system`, `pi.reset`, `pi.compaction`, or an extension's own. */
	kind: string;
	text: string;
	/** When `text` is only the beginning; `session.entries` with `around` and `limit: 1` has all of it. */
	cut?: Cut;
	/** Wall clock of its commit, in ms since the epoch. */
	at: number;
};

export type UserEntry = EntryBase & {
	role: "user";
	images?: ImageReference[];
	/** The submission that became this entry. */
	submission?: string;
	/** No person wrote it: the answer of a subagent that worked in the background, `text` being what it says. */
	from?: { description: string; status: "answered" | "stopped" | "failed" };
};

export type AssistantEntry = EntryBase & {
	role: "assistant";
	thinking?: Thinking;
	toolCalls?: ToolCall[];
	/** `stop`, `length`, `toolUse`, `error` or `aborted`. */
	stopReason: string;
	errorMessage?: string;
	/** `provider/model`. */
	model: string;
	/** What its provider refused and so was left out of the request, in words. */
	remarks?: string[];
	usage?: Spend;
};

export type ToolResultEntry = EntryBase & {
	role: "toolResult";
	toolCallId: string;
	toolName: string;
	isError: boolean;
	/** What of its arguments was repaired before it ran, in words. */
	repairs?: string[];
	/** The call was cut off for good: it may have run in part and was not run again. */
	interrupted?: boolean;
	images?: ImageReference[];
	/** The tool's own data, such as a diff; left out, with a mark, when it is long. */
	details?: JsonValue;
	detailsCut?: Cut;
	diagnostics?: Diagnostic[];
	/** A subagent's conversation, which can be watched like a session. */
	conversation?: string;
	/** What that subagent and those below it have spent so far. */
	spend?: Spend;
};

/** Compactions, resets, prompt changes, restarts, model changes, and what extensions write for people. */
export type SystemEntry = EntryBase & { role: "system"; details?: JsonValue };

/** One entry of a transcript. */
export type WireEntry = UserEntry | AssistantEntry | ToolResultEntry | SystemEntry;

import type { ThinkingLevel } from "./modes.ts";
import type { Health, SessionSummary, Spend, WireEntry } from "./views.ts";

/** What each method answers, where it isn't a view. Times are in ms since the epoch. */

export type AgentInfo = {
	version: string;
	protocol: number;
	pid: number;
	startedAt: number;
	uptimeMs: number;
	dataDirectory: string;
	socket: string;
	/** Resident memory, in bytes. */
	rss: number;
	sessions: { total: number; running: number; waiting: number; needsYou: number };
	health: Health;
	/** It was told to end: once it is idle, or now. */
	ending?: "idle" | "now";
};

/** `running` is how many sessions were running when the agent was told to end. */
export type Ending = { when: "idle" | "now"; running: number };

/** The version that hands over; `running` is how many sessions were running then, which the next agent takes up. */
export type Handover = { version: string; running: number };

export type Project = {
	/** Absolute, symlinks resolved. */
	directory: string;
	name: string;
	lastUsedAt: number;
	sessions: number;
	/** The folder is no longer there. */
	missing: boolean;
};

/** Known folders, newest use first, and the roots that sessions may run under. */
export type ProjectList = { projects: Project[]; roots: string[] };

export type AllowedFolder = { directory: string; added: boolean };

export type ModelInfo = {
	/** `provider/model`, as every method takes it. */
	id: string;
	provider: string;
	name: string;
	contextWindow: number;
	maxTokens: number;
	images: boolean;
	thinkingLevels: ThinkingLevel[];
	/** US dollars per million tokens; null when there is no price. */
	price: { input: number; output: number; cacheRead: number; cacheWrite: number } | null;
};

type ProviderBase = { id: string; name: string; kind: "claude-code" | "api" | "local" | "scripted" };

export type ProviderInfo = ProviderBase &
	/** `note` is what is worth knowing about it, such as the plan. */
	(
		| {
				available: true;
				note?: string /** `models.setKey` puts another key in the place of its own. */;
				takesKey?: boolean;
		  }
		| {
				available: false;
				reason: string;
				fix: string;
				/** The providers that a key would help, by the ids that `models.setKey` takes. */
				takeKeys?: { id: string; name: string }[];
		  }
	);

export type ModelList = {
	models: ModelInfo[];
	providers: ProviderInfo[];
	/** What a new session gets when none is named. */
	default: string | null;
	/** Whether a slow provider is still being asked. */
	refreshing: boolean;
};

/** `cursor` goes into the next request; null at the end. */
export type SessionPage = { sessions: SessionSummary[]; cursor: string | null; total: number };

export type CreatedSession = { session: string; submission: string | null };

/** Oldest first. */
export type EntryPage = { entries: WireEntry[]; hasOlder: boolean; hasNewer: boolean };

/** A piece of a call's output. */
export type OutputPiece = {
	base64: string;
	/** Where the piece begins, in bytes; after the gap when `offset` was asked for inside it. */
	offset: number;
	/** How much output there is so far, the gap counted. */
	total: number;
	/** Whether the call has ended, so that `total` is final. */
	complete: boolean;
	/** The middle that was not kept, because the output was too long. */
	gap?: { from: number; to: number };
};

/** The first answer a request got. */
export type Answer = { request: string; choice: string } | { request: string; text: string };

export type FileMatches = { matches: { path: string; kind: "file" | "folder" }[]; hasMore: boolean };

export type FolderList = {
	directory: string;
	parent: string | null;
	folders: { name: string; directory: string; repository: boolean }[];
	hasMore: boolean;
};

export type FileChange = {
	path: string;
	change: "added" | "changed" | "deleted";
	added: number;
	removed: number;
	/** A unified diff; absent for a binary file. */
	diff?: string;
	/** The tool that changed it, when one call did. */
	by?: string;
};

export type ChangeList = { since: number; files: FileChange[]; notCovered: string[] };

/** With `preview` nothing was done. A file in `conflicts` was changed by someone else since, and is left alone. */
export type Rewind = { done: boolean; files: FileChange[]; conflicts: { path: string; reason: string }[] };

/** `key` is a local day (`YYYY-MM-DD`), `provider/model` or `tool/name`, or a project's folder; empty for none. */
export type UsageRow = Spend & { key: string; runs: number };
export type UsageReport = { rows: UsageRow[]; total: Spend & { runs: number } };

export type SearchHit = {
	/** The session, or the subagent's conversation below it, that holds the entry. */
	session: string;
	/** Title and folder of the session. */
	title: string;
	project: string;
	entry: string;
	role: WireEntry["role"];
	at: number;
	/** A piece of the text around the hit, in one line; each pair is a stretch to highlight, as `[start, end)` in it. */
	snippet: { text: string; highlights: [number, number][] };
};

export type SearchResult = { hits: SearchHit[]; hasMore: boolean };

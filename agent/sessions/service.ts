import type {
	AgentChange,
	ConversationId,
	EntryId,
	FailureCause,
	ModelRef,
	SubmissionId,
	SubmissionRecord,
	UserInput,
} from "../durable/index.ts";

/** What the product knows of a session besides its conversation. Times are in ms since the epoch. */
export type SessionRecord = {
	/** Working directory, absolute, symlinks resolved. */
	directory: string;
	title: string;
	/** Who gave it; a person's title is never replaced. */
	titleFrom: "folder" | "message" | "model" | "person";
	createdAt: number;
	archivedAt?: number;
	/** Up to which entry a person has read. */
	seen?: EntryId;
	/** Of a fork: the session it was made from, and the last entry of that one which it sees. */
	forkedFrom?: { readonly session: ConversationId; readonly entry: EntryId };
};

/** What a run waits for before it goes on by itself. */
export type Waiting = { readonly kind: "waiting" } & (
	| { readonly for: "limit" | "network"; readonly until: number }
	| { readonly for: "retry"; readonly until: number; readonly cause: FailureCause }
	| { readonly for: "slot" }
);

/** What a session is doing, as every list shows it. */
export type SessionActivity =
	| { readonly kind: "idle" }
	/** In the `background`: subagents are at work (too) that a stop of the session's run doesn't reach. */
	| (({ readonly kind: "running"; readonly since: number } | Waiting) & { readonly background?: true })
	/**
	 * Only a person can clear it: resuming it ended the agent again and again. With `subagent`, it is that one which is
	 * held.
	 */
	| {
			readonly kind: "needs_you";
			readonly reason: string;
			readonly at: number;
			readonly subagent?: ConversationId;
	  }
	| { readonly kind: "failed"; readonly reason: string };

/** One session of the list, kept in memory and brought up to date by commits. Immutable: a change makes a new one. */
export type SessionSnapshot = {
	readonly id: ConversationId;
	readonly record: Readonly<SessionRecord>;
	readonly activity: SessionActivity;
	readonly model: ModelRef | undefined;
	/** Commit time of its newest entry, or its creation. */
	readonly updatedAt: number;
	readonly newestEntry: EntryId | undefined;
	readonly unread: boolean;
	/** What it does now. */
	readonly doing?: { readonly text: string; readonly tool?: string; readonly since: number };
	/** The beginning of its newest answer, at most 200 characters. */
	readonly preview?: string;
	readonly lastRun?: {
		readonly run: SubmissionId;
		readonly outcome: "answered" | "failed" | "stopped";
		readonly endedAt: number;
	};
};

/**
 * What came of a compaction; `entry` is the summary's. It is null while the summary waits for the next message, as it
 * does when the run it would have followed was stopped or failed.
 */
export type CompactionEnd =
	| { readonly outcome: "compacted"; readonly entry: EntryId | null }
	| { readonly outcome: "nothing_to_compact" | "stale"; readonly entry: null };

/** Why a request about sessions was refused. The server turns each into the wire's code of the same name. */
export type SessionErrorCode =
	| "not_found"
	| "folder_missing"
	| "folder_not_allowed"
	| "busy"
	| "model_unavailable"
	| "already_placed"
	| "compaction_failed"
	| "request_id_reused"
	/** Something in the message can't be made a part of a session. */
	| "invalid_params";

export class SessionError extends Error {
	override readonly name = "SessionError";
	readonly code: SessionErrorCode;
	constructor(code: SessionErrorCode, message: string, options?: ErrorOptions) {
		super(message, options);
		this.code = code;
	}
}

/** Everything a client can do with sessions, in the product's own terms. */
export interface Sessions {
	/** Every session, newest activity first; archived ones only when asked for. In memory, no I/O. */
	list(options?: { readonly archived?: boolean }): readonly SessionSnapshot[];
	get(id: ConversationId): SessionSnapshot | undefined;
	/** Called after each commit that changed a session's snapshot, with the new one; it must not wait for the harness. */
	subscribe(listener: (snapshot: SessionSnapshot) => void): () => void;

	/** Creates a session and, with content, its first message, in one commit. The same `requestId` answers as before. */
	create(input: {
		readonly directory: string;
		readonly title?: string;
		readonly model?: ModelRef;
		readonly content?: UserInput;
		readonly requestId: string;
	}): Promise<{ readonly id: ConversationId; readonly submission: SubmissionRecord | null }>;
	/**
	 * A session of its own in the same folder that begins with what this one said up to and including `at`, with the
	 * agent as of then. The session goes on undisturbed. The same `requestId` answers as before.
	 */
	fork(input: {
		readonly id: ConversationId;
		readonly at: EntryId;
		readonly requestId?: string;
	}): Promise<SessionSnapshot>;
	/**
	 * Starts a new context, with this note or with nothing; what was said stays stored. While the session is at work it
	 * takes place after the current step, and ends that run.
	 */
	reset(input: {
		readonly id: ConversationId;
		readonly note?: string;
		readonly requestId?: string;
	}): Promise<SubmissionRecord>;
	/** Also takes a subagent's conversation. The same `requestId` answers with the first submission, in any process. */
	send(input: {
		readonly id: ConversationId;
		readonly content: UserInput;
		readonly requestId: string;
		readonly whenBusy?: "steer" | "followUp" | "reject";
	}): Promise<SubmissionRecord>;
	/** Changes a queued message, or when it is placed. */
	edit(input: {
		readonly id: ConversationId;
		readonly submission: SubmissionId;
		readonly content?: UserInput;
		readonly whenBusy?: "steer" | "followUp";
	}): Promise<SubmissionRecord>;
	withdraw(id: ConversationId, submission: SubmissionId): Promise<SubmissionRecord>;
	/**
	 * Resolves when idle; false when there was nothing to stop. With `run`, only that run is stopped; with `background`,
	 * subagents in the background too.
	 */
	stop(
		id: ConversationId,
		what?: { readonly run?: SubmissionId; readonly background?: boolean },
	): Promise<boolean>;
	/** Ends its wait before the next attempt, and those of its subagents, whatever is waited for; false without one. */
	tryNow(id: ConversationId): Promise<boolean>;
	/**
	 * Sums the older part of a conversation up for the model. Resolves when decided: placed, nothing worth it, or overtaken
	 * by a reset or a newer one. The same `requestId` answers as the first did.
	 */
	compact(input: {
		readonly id: ConversationId;
		readonly instructions?: string;
		readonly requestId?: string;
	}): Promise<CompactionEnd>;
	/** `null` as the model means the default one. Archiving ends the session's work first; a blank title is given back. */
	configure(
		id: ConversationId,
		change: Pick<AgentChange, "model" | "thinkingLevel" | "tools"> & {
			readonly title?: string;
			readonly archived?: boolean;
		},
	): Promise<SessionSnapshot>;
	/** Marks what a person has read; never goes back. */
	seen(id: ConversationId, entry: EntryId): Promise<SessionSnapshot>;

	/** The model that was last chosen in this folder; a session there that names none gets it, if it can answer. */
	rememberedModel(directory: string): Promise<ModelRef | undefined>;

	/** Known folders, newest use first. */
	projects(): Promise<
		readonly {
			readonly directory: string;
			readonly lastUsedAt: number;
			readonly sessions: number;
			readonly missing: boolean;
		}[]
	>;
	/** Folders that sessions may run under, besides those in the home directory. */
	roots(): Promise<readonly string[]>;
	/** Where a new folder may be made: the path with the links of what is there resolved. */
	newFolder(directory: string): Promise<string>;
	/** Adds a root after resolving symlinks; false when it was one already. */
	allow(directory: string): Promise<{ readonly directory: string; readonly added: boolean }>;
}

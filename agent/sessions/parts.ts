import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type {
	Clock,
	Conversation,
	ConversationId,
	ConversationRecord,
	Harness,
	ModelRef,
	SubmissionId,
	SubmissionRecord,
} from "../durable/index.ts";
import type { ImageLimits } from "../images/image-limits.ts";
import type { SessionIndex } from "./index/session-index.ts";
import { SessionError, type SessionSnapshot } from "./service.ts";

/** What sessions are made of; see `openSessions`. */
export type SessionsOptions = {
	readonly harness: Harness;
	readonly clock?: Clock;
	/** The person's home directory, absolute. */
	readonly home: string;
	/**
	 * What a session gets that names no model: the remembered one, if there is one and it can answer. May take a moment
	 * while it is found out who can.
	 */
	readonly defaultModel: (remembered?: ModelRef) => ModelRef | Promise<ModelRef>;
	/** Whether a model that someone names can answer now. */
	readonly modelAvailable: (model: ModelRef) => boolean | Promise<boolean>;
	/** What the model of this name takes of an image; undefined stands for the one of a session that names none. */
	readonly imageLimits?: (model: ModelRef | undefined) => ImageLimits;
	/** Folders outside the home directory that the settings allow, read at each use. */
	readonly allowedRoots: () => readonly string[];
	/** Ends what finished calls of this session left running; called when it is archived. */
	readonly endBackground?: (id: ConversationId) => void | Promise<void>;
	/** Hears of failures that end nothing. */
	readonly report: (error: unknown) => void;
};

/** What each operation on sessions works with. */
export type Parts = Required<SessionsOptions> & {
	readonly index: SessionIndex;
	/** Does what is asked for one conversation in the order it came. */
	readonly inTurn: <T>(id: ConversationId, work: () => Promise<T>) => Promise<T>;
};

/** Throws `not_found` when there is no such session. */
export function sessionIn({ index }: Parts, id: ConversationId): SessionSnapshot {
	const session = index.get(id);
	if (session === undefined) throw noSession(id);
	return session;
}

/** Whether a client may drive this conversation: a session's, or a subagent's. */
export function isDriven(
	{ index }: Parts,
	id: ConversationId,
	record: ConversationRecord | undefined,
): boolean {
	return index.get(id) !== undefined || record?.owner !== undefined;
}

/** The handle of a conversation that a client may drive. Throws `not_found` for every other. */
export async function drivenConversation(parts: Parts, id: ConversationId): Promise<Conversation> {
	const { harness } = parts;
	const record = await harness.commit((tx) => tx.conversation(id), BACKGROUND_CONTEXT);
	const conversation = await harness.conversation(id, BACKGROUND_CONTEXT);
	if (conversation === undefined || !isDriven(parts, id, record)) throw noSession(id);
	return conversation;
}

/** The submission as it is now. Throws `not_found` when this conversation has none of that id. */
export async function submissionOf(
	{ harness }: Parts,
	id: ConversationId,
	submission: SubmissionId,
): Promise<SubmissionRecord> {
	const record = await (await harness.submission(submission, BACKGROUND_CONTEXT))?.status(BACKGROUND_CONTEXT);
	if (record === undefined || record.conversationId !== id) throw noMessage(submission);
	return record;
}

export async function assertModel({ modelAvailable }: Parts, model: ModelRef): Promise<void> {
	if (await modelAvailable(model)) return;
	throw new SessionError(
		"model_unavailable",
		`The model ${model.provider}/${model.modelId} can't answer now. Choose another one from the list of models, which also says why.`,
	);
}

export function noMessage(submission: SubmissionId): SessionError {
	return new SessionError(
		"not_found",
		`There is no message ${submission} waiting in this session. Look at the session again for what it has.`,
	);
}

export function noSession(id: ConversationId): SessionError {
	return new SessionError(
		"not_found",
		`There is no session ${id}. Look at the list of sessions for those there are.`,
	);
}

import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import {
	ConversationBusy,
	type ConversationId,
	type ConversationRecord,
	InboxDoc,
	type InboxState,
	resetDraft,
	type SubmissionId,
	type SubmissionRecord,
	type Tx,
	type UserInput,
} from "../durable/index.ts";
import { SessionDoc } from "./documents.ts";
import { conversationsBelow } from "./history.ts";
import { fitMessage } from "./message-images.ts";
import {
	drivenConversation,
	isDriven,
	noMessage,
	noSession,
	type Parts,
	sessionIn,
	submissionOf,
} from "./parts.ts";
import { commitOnce, onceRequest } from "./requests.ts";
import { SessionError, type Sessions } from "./service.ts";
import { titleFromMessage } from "./titles.ts";

/**
 * Hands a message to a conversation, once. It brings an archived session back, also when it goes to one of its
 * subagents, and names a session that has no name yet.
 */
export async function sendMessage(
	parts: Parts,
	{ id, content, requestId, whenBusy = "followUp" }: Parameters<Sessions["send"]>[0],
): Promise<SubmissionRecord> {
	const { harness } = parts;
	const request = onceRequest(requestId, "session.send", { id, content, whenBusy });
	harness.resume();
	const fitting = await fitMessage(parts, content, { session: id });
	const result = await commitOnce(harness, request, async (tx) => {
		const record = await tx.conversation(id);
		if (!isDriven(parts, id, record)) throw noSession(id);
		const session = await sessionAbove(tx, parts, record);
		const { id: submission } = await harness.admit(tx, id, { type: "input", content: fitting, whenBusy });
		if (session === id) await noteMessage(tx, id, fitting);
		else if (session !== undefined) delete (await tx.doc(SessionDoc, session)).archivedAt;
		return { session: id, submission };
	}).catch((error) => {
		throw error instanceof ConversationBusy ? busy(error) : error;
	});
	return submissionOf(parts, id, result.submission!);
}

/** Starts a new context at once, or after the step that is going on. */
export async function resetSession(
	parts: Parts,
	{ id, note, requestId }: Parameters<Sessions["reset"]>[0],
): Promise<SubmissionRecord> {
	const { harness, clock } = parts;
	const request = requestId === undefined ? undefined : onceRequest(requestId, "session.reset", { id, note });
	harness.resume();
	const result = await commitOnce(harness, request, async (tx) => {
		sessionIn(parts, id);
		const entry = resetDraft(note, clock.now());
		const { id: submission } = await harness.admit(tx, id, { type: "write", entry });
		return { session: id, submission };
	});
	return submissionOf(parts, id, result.submission!);
}

/** The session that a conversation is, or belongs to. */
async function sessionAbove(
	tx: Tx,
	{ index }: Parts,
	record: ConversationRecord | undefined,
): Promise<ConversationId | undefined> {
	for (let each = record; each !== undefined; )
		if (index.get(each.id) !== undefined) return each.id;
		else each = each.owner === undefined ? undefined : await tx.conversation(each.owner.conversationId);
	return undefined;
}

async function noteMessage(tx: Tx, id: ConversationId, content: UserInput): Promise<void> {
	const record = await tx.doc(SessionDoc, id);
	delete record.archivedAt;
	if (record.titleFrom !== "folder") return;
	const title = titleFromMessage(content);
	if (title !== undefined) Object.assign(record, { title, titleFrom: "message" });
}

/** Changes a message that still waits, in its place. */
export async function editMessage(
	parts: Parts,
	{ id, submission, content, whenBusy }: Parameters<Sessions["edit"]>[0],
): Promise<SubmissionRecord> {
	await drivenConversation(parts, id);
	const fitting = content === undefined ? undefined : await fitMessage(parts, content, { session: id });
	await parts.harness.commit(async (tx) => {
		const record = await tx.submission(submission);
		if (record?.conversationId !== id) throw noMessage(submission);
		assertQueued(record);
		const inbox = (await tx.doc(InboxDoc, id)) as InboxState;
		const item = inbox.items.find((candidate) => candidate.id === submission);
		if (item === undefined || item.mode === "write") throw noMessage(submission);
		if (fitting !== undefined) item.content = JSON.parse(JSON.stringify(fitting));
		if (whenBusy !== undefined) item.mode = whenBusy;
	}, BACKGROUND_CONTEXT);
	await parts.harness.flush(BACKGROUND_CONTEXT);
	return submissionOf(parts, id, submission);
}

/** Takes a message back that still waits. One that was taken back before stays so. */
export async function withdrawMessage(
	parts: Parts,
	id: ConversationId,
	submission: SubmissionId,
): Promise<SubmissionRecord> {
	await drivenConversation(parts, id);
	const { type } = await submissionOf(parts, id, submission);
	if (type === "write") throw noMessage(submission);
	await parts.harness.abortSubmission(submission, BACKGROUND_CONTEXT, id);
	const record = await submissionOf(parts, id, submission);
	if (record.status !== "unanswered" || record.entry !== undefined) throw placed(submission);
	await parts.harness.flush(BACKGROUND_CONTEXT);
	return record;
}

/** Stops what goes on, or only the run that `run` is part of; a `run` that still waits is taken back. */
export async function stopWork(
	parts: Parts,
	id: ConversationId,
	{ run, background = false }: NonNullable<Parameters<Sessions["stop"]>[1]> = {},
): Promise<boolean> {
	const conversation = await drivenConversation(parts, id);
	if (run === undefined) return conversation.abort(BACKGROUND_CONTEXT, { background });
	switch (await parts.harness.abortSubmission(run, BACKGROUND_CONTEXT, id)) {
		case "not_found":
			throw noMessage(run);
		case "aborted":
			await parts.harness.flush(BACKGROUND_CONTEXT);
			return true;
		case "already_placed":
			return conversation.abort(BACKGROUND_CONTEXT, { run });
		case "settled":
			return false;
	}
}

/** Ends the waits before a next attempt, in the conversation and in its subagents'. Returns whether there was one. */
export async function tryWork(parts: Parts, id: ConversationId): Promise<boolean> {
	const { harness } = parts;
	const own = await drivenConversation(parts, id);
	let tried = await own.tryNow(BACKGROUND_CONTEXT);
	for (const below of await conversationsBelow(harness, id, BACKGROUND_CONTEXT)) {
		const conversation = await harness.conversation(below, BACKGROUND_CONTEXT);
		tried = (await conversation?.tryNow(BACKGROUND_CONTEXT)) === true || tried;
	}
	return tried;
}

function assertQueued(record: SubmissionRecord): void {
	if (record.status === "queued") return;
	if (record.status === "unanswered" && record.entry === undefined) throw noMessage(record.id);
	throw placed(record.id);
}

function placed(submission: SubmissionId): SessionError {
	return new SessionError(
		"already_placed",
		`Message ${submission} is part of the conversation already. Send a new one, or stop the run.`,
	);
}

function busy(cause: Error): SessionError {
	return new SessionError(
		"busy",
		"The session is at work. Wait until it is done, stop it, or let the message queue.",
		{ cause },
	);
}

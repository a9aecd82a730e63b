import type { AssistantMessage } from "@earendil-works/pi-ai";
import { NewGeneration } from "../generation/token.ts";
import { copyLooseJson } from "../session/strict-json.ts";
import type { ConversationId, EntryId, SubmissionId, TaskId } from "../types/ids.ts";
import type { LiveState } from "../types/live.ts";
import type { Tx } from "../types/session.ts";
import type { SubmissionSettlement } from "../types/submissions.ts";
import { LiveDoc } from "./built-in-documents.ts";
import { AssistantEntry } from "./built-in-entries.ts";
import { addModelUsage } from "./usage.ts";

/** The conversation's live state, to be changed in this commit. */
export async function liveOf(tx: Tx, conversationId: ConversationId): Promise<LiveState> {
	return (await tx.doc(LiveDoc, conversationId)) as LiveState;
}

/** Starts a run that answers these inputs. The conversation is busy from here on. */
export async function startRun(
	tx: Tx,
	conversationId: ConversationId,
	inputs: readonly SubmissionId[],
): Promise<TaskId> {
	const taskId = await createGeneration(tx, conversationId, inputs);
	const live = await liveOf(tx, conversationId);
	live.run = { taskId, inputs: [...inputs] };
	return taskId;
}

/** Hands the run to a new generation; its inputs stay open. */
export async function continueRun(
	tx: Tx,
	conversationId: ConversationId,
	joining: readonly SubmissionId[] = [],
): Promise<void> {
	const live = await liveOf(tx, conversationId);
	const inputs = [...(live.run?.inputs ?? []), ...joining];
	live.run = { taskId: await createGeneration(tx, conversationId, inputs), inputs };
}

/** Ends the run: every input gets the settlement, and the conversation is idle. */
export async function endRun(
	tx: Tx,
	conversationId: ConversationId,
	settlement: SubmissionSettlement,
): Promise<void> {
	const live = await liveOf(tx, conversationId);
	for (const id of live.run?.inputs ?? []) tx.settleSubmission(id, settlement);
	delete live.run;
	delete live.generation;
	delete live.tools;
}

/** What a cut-off answer left in the live state becomes an entry, marked aborted. Returns whether there was one. */
export async function keepPartial(tx: Tx, conversationId: ConversationId): Promise<boolean> {
	const live = await liveOf(tx, conversationId);
	const partial = live.generation?.message;
	if (partial === undefined) return false;
	const message = copyLooseJson(JSON.parse(JSON.stringify(partial))) as AssistantMessage;
	message.stopReason = "aborted";
	message.errorMessage ??= "The answer was cut off.";
	await appendAssistant(tx, conversationId, message);
	delete live.generation!.message;
	return true;
}

/** Appends a model's response and counts what it cost. */
export async function appendAssistant(
	tx: Tx,
	conversationId: ConversationId,
	message: AssistantMessage,
): Promise<EntryId> {
	await addModelUsage(tx, conversationId, message);
	return (await tx.appendEntry(AssistantEntry, conversationId, { model: [message] })).id;
}

function createGeneration(
	tx: Tx,
	conversationId: ConversationId,
	inputs: readonly SubmissionId[],
): Promise<TaskId> {
	const [run] = inputs;
	if (run === undefined) throw new Error(`A run of conversation ${conversationId} needs an input.`);
	return tx.createTask(NewGeneration, { run }, { ownership: { kind: "conversation" }, conversationId });
}

import type { ConversationRecord } from "../../types/conversations.ts";
import { type ConversationId, ROOT_CONVERSATION_ID, type Seq, type SubmissionId } from "../../types/ids.ts";
import type { SubmissionRecord } from "../../types/submissions.ts";
import type { AnyTaskRecord } from "../../types/tasks.ts";
import { type Batch, idNotMinted, idTaken, requestTaken } from "../batch.ts";
import { createDocuments } from "./documents.ts";
import { createEntries } from "./entries.ts";
import { createTable } from "./table.ts";
import type { LiveText, Texts } from "./texts.ts";

export type Tables<Ref> = ReturnType<typeof createTables<Ref>>;

/** All tables of a store that is held in memory as an index: what is where, and what it is searched by. */
export function createTables<Ref>(texts: Texts<Ref>) {
	const conversations = createTable(texts, ["conversation"], ({ parent, owner }: ConversationRecord) => ({
		...(parent === undefined ? {} : { parent: { ...parent } }),
		ownerConversationId: owner?.conversationId,
		ownerTaskId: owner?.taskId,
	}));
	const entries = createEntries(texts, (id: ConversationId) => conversations.key(id)?.parent);
	const intern = createInterning();
	const tasks = createTable(texts, ["task"], (task: AnyTaskRecord) => ({
		conversationId: task.conversationId,
		kind: intern(task.kind),
		status: intern(task.state.status),
		abortRequested: task.abortRequested,
		background: task.background,
	}));
	const submissions = createTable(texts, ["submission"], (submission: SubmissionRecord) => ({
		conversationId: submission.conversationId,
		status: intern(submission.status),
		requestId: submission.requestId,
	}));
	const documents = createDocuments(texts);
	const byRequest = new Map<string, SubmissionId>();

	function putSubmission(record: SubmissionRecord, store: () => void): void {
		const before = submissions.key(record.id);
		const known = before && requestText(before);
		if (known !== undefined) byRequest.delete(known);
		store();
		const request = requestText(record);
		if (request !== undefined) byRequest.set(request, record.id);
	}

	return {
		conversations,
		entries,
		tasks,
		submissions,
		documents,

		submissionOf(conversationId: ConversationId, requestId: string): SubmissionId | undefined {
			return byRequest.get(requestText({ conversationId, requestId })!);
		},

		/** Takes in a submission that is stored already. */
		restoreSubmission(record: SubmissionRecord, ref: Ref): void {
			putSubmission(record, () => submissions.put(record, ref));
		},

		/**
		 * Checks a batch against what is stored, stages its texts and returns the steps that store it, none of which can
		 * fail. `isMinted` says whether a number was ever given out. Throws `StorageRejected`.
		 */
		prepare(batch: Batch, seq: Seq, isMinted: (id: number) => boolean): (() => void)[] {
			const steps: (() => void)[] = [];
			const claim = (id: number): void => {
				if (id !== ROOT_CONVERSATION_ID && !isMinted(id)) throw idNotMinted(id);
				const isTaken = [conversations, entries, tasks, submissions, documents].some((table) =>
					table.has(id),
				);
				if (isTaken) throw idTaken(id);
			};
			for (const record of batch.conversations) {
				claim(record.id);
				steps.push(conversations.prepare(record));
			}
			for (const record of batch.entries) {
				claim(record.id);
				steps.push(entries.prepare(record, seq));
			}
			for (const record of batch.tasks.values()) {
				if (!tasks.has(record.id)) claim(record.id);
				steps.push(tasks.prepare(record));
			}
			const requests = new Map<string, SubmissionId>();
			for (const record of batch.submissions.values()) {
				if (!submissions.has(record.id)) claim(record.id);
				const request = requestText(record);
				if (request !== undefined) {
					const holder = requests.get(request) ?? byRequest.get(request);
					if (holder !== undefined && holder !== record.id) throw requestTaken(record.requestId!);
					requests.set(request, record.id);
				}
				const store = submissions.prepare(record);
				steps.push(() => putSubmission(record, store));
			}
			steps.push(...documents.prepare(batch.documents, seq, claim));
			return steps;
		},

		/** Every text that has to be kept, in an order in which they can be taken in again. */
		*live(): Generator<LiveText<Ref>> {
			for (const table of [conversations, entries, tasks, submissions, documents]) yield* table.live();
		},
	};
}

function requestText({
	conversationId,
	requestId,
}: Pick<SubmissionRecord, "conversationId" | "requestId">): string | undefined {
	return requestId === undefined ? undefined : `${conversationId} ${requestId}`;
}

/** Few words, in many records: each is kept once. */
function createInterning(): (word: string) => string {
	const words = new Map<string, string>();
	return (word) => {
		const known = words.get(word);
		if (known === undefined) words.set(word, word);
		return known ?? word;
	};
}

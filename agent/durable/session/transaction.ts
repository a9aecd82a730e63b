import type { Context } from "@earendil-works/chord";
import type { Clock } from "../clock.ts";
import { ReadAfterWrite } from "../errors.ts";
import type { ConversationOwnership, ConversationRecord } from "../types/conversations.ts";
import type { DocumentCreate } from "../types/documents.ts";
import type { Entry, EntryDraft, EntryRecord } from "../types/entries.ts";
import {
	type ConversationId,
	type DocumentId,
	type EntryId,
	ROOT_CONVERSATION_ID,
	type SubmissionId,
	type TaskId,
} from "../types/ids.ts";
import type { JsonValue } from "../types/json.ts";
import type { Tx } from "../types/session.ts";
import type { DocumentAddress, DocumentPoint, Storage, StorageWrite } from "../types/storage.ts";
import type { SubmissionRecord, SubmissionSettlement } from "../types/submissions.ts";
import type { AnyTaskRecord, Task, TaskOptions } from "../types/tasks.ts";
import { type AnyDocToken, resolveAddress } from "./document-address.ts";
import type { DocumentTable } from "./document-table.ts";
import { createOpenDocuments, type PreparedDocument } from "./open-documents.ts";
import { createStagedRecords, recordWrites, type StagedRecords } from "./staged-records.ts";
import { copyLooseJson, copyStrictJson } from "./strict-json.ts";

/** Whose commit it is: defaults for what it creates. */
export type TxBinding = { readonly conversationId?: ConversationId; readonly taskId?: TaskId };

/** What the harness itself may do in a commit, beyond the public `Tx`. */
export interface InternalTx extends Tx {
	/** Creates the conversation with the reserved id. */
	createRoot(): Promise<ConversationRecord>;
	/** The same commit on behalf of a conversation or a task. */
	bound(binding: TxBinding): InternalTx;
	/** Replaces a live task's record; lifecycle times are stamped here. */
	replaceTask(record: AnyTaskRecord): void;
	/** The task as this commit will leave it; not a table read. */
	candidateTask(id: TaskId): Promise<AnyTaskRecord | undefined>;
	candidateConversation(id: ConversationId): Promise<ConversationRecord | undefined>;
	candidateSubmission(id: SubmissionId): Promise<SubmissionRecord | undefined>;
	readonly staged: StagedRecords;
	/** Set by commits that show a task getting on; see `RuntimeCommitOptions.progress`. */
	progress: Set<ConversationId>;
}

export type TransactionHooks = {
	/** Runs inside `createConversation()` and `forkConversation()`, before they return. */
	conversationCreated?(tx: InternalTx, conversation: ConversationRecord): Promise<void>;
	/** Runs after the callback, still inside the commit. */
	beforeSeal?(tx: InternalTx): Promise<void>;
};

export type Transaction = {
	readonly tx: InternalTx;
	/** Ends all access, computes the batch. Rejects when the commit would break a rule; then nothing is stored. */
	seal(): Promise<SealedTransaction>;
	abort(): void;
};

export type SealedTransaction = {
	readonly writes: readonly StorageWrite[];
	readonly staged: StagedRecords;
	readonly documents: readonly PreparedDocument[];
	/** Documents the storage copies by itself for a fork. */
	readonly copies: readonly DocumentAddress[];
};

/** Opens one commit's transaction. Call on the line only. */
export function beginTransaction(
	storage: Storage,
	table: DocumentTable,
	clock: Clock,
	hooks: TransactionHooks,
	context: Context,
): Transaction {
	const staged = createStagedRecords();
	const documents = createOpenDocuments(storage, table, context);
	const progress = new Set<ConversationId>();
	const owners = new Map<TaskId, string>();
	const transitions: { readonly id: SubmissionId; apply(record: SubmissionRecord): SubmissionRecord }[] = [];
	const copyWrites: StorageWrite[] = [];
	const copies: DocumentAddress[] = [];
	let sealed = false;
	let tableWritten = false;

	function assertOpen(): void {
		if (sealed) throw new Error("The commit is over: its transaction can't be used any more.");
	}
	function read(what: string): void {
		assertOpen();
		if (tableWritten) throw new ReadAfterWrite(what);
	}
	function write(): void {
		assertOpen();
		tableWritten = true;
	}

	async function candidateTask(id: TaskId): Promise<AnyTaskRecord | undefined> {
		return staged.tasks.get(id) ?? storage.task(id, context);
	}
	async function candidateConversation(id: ConversationId): Promise<ConversationRecord | undefined> {
		return staged.conversations.get(id) ?? storage.conversation(id, context);
	}
	async function candidateSubmission(id: SubmissionId): Promise<SubmissionRecord | undefined> {
		let record = staged.submissions.get(id) ?? (await storage.submission(id, context));
		if (record === undefined) return undefined;
		for (const transition of transitions) if (transition.id === id) record = transition.apply(record);
		return record;
	}

	/** A new task or conversation may only belong to an owner that is alive and meant to go on. */
	async function ownerFor(taskId: TaskId, what: string): Promise<AnyTaskRecord> {
		const owner = await candidateTask(taskId);
		if (owner === undefined) throw new Error(`${what} can't belong to task ${taskId}: there is no such task`);
		assertCanOwn(owner, what);
		owners.set(taskId, what);
		return owner;
	}

	async function documentAccess(token: AnyDocToken, args: readonly unknown[]) {
		assertOpen();
		const { address, rest } = resolveAddress(token, args);
		if (address.scope.kind === "task") {
			const task = await candidateTask(address.scope.taskId);
			if (task === undefined || task.state.status === "terminal")
				throw new Error(
					`Document ${address.kind}: task ${address.scope.taskId} ${task === undefined ? "doesn't exist" : "has ended"}`,
				);
		}
		return { address, seed: rest[0] as JsonValue | undefined };
	}

	function createTx(binding: TxBinding): InternalTx {
		const tx: InternalTx = {
			bound: createTx,
			staged,
			progress,
			candidateTask,
			candidateConversation,
			candidateSubmission,

			async conversation(id) {
				read("A conversation");
				return storage.conversation(id, context);
			},
			async entry(tokenOrId: EntryId | { readonly kind: string }, id?: EntryId) {
				read("An entry");
				const entryId = typeof tokenOrId === "number" ? tokenOrId : id!;
				const entry = (await storage.entry(entryId, context))?.entry;
				const asked = typeof tokenOrId === "number" || entry?.kind === tokenOrId.kind;
				// biome-ignore lint/suspicious/noExplicitAny: one implementation serves the typed and the untyped overload
				return asked ? (entry as any) : undefined;
			},
			async task(id) {
				read("A task");
				return storage.task(id, context);
			},
			async submission(id) {
				read("A submission");
				return storage.submission(id, context);
			},
			async scanConversations(query, limit, cursor) {
				read("The table of conversations");
				return storage.scanConversations(query, limit, cursor, context);
			},
			async scanEntries(query, limit, cursor) {
				read("The table of entries");
				return storage.scanEntries(query, limit, cursor, context);
			},
			async scanTasks(query, limit, cursor) {
				read("The table of tasks");
				return storage.scanTasks(query, limit, cursor, context);
			},
			async submissionByRequest(conversationId, requestId) {
				read("A submission");
				return storage.submissionByRequest(conversationId, requestId, context);
			},
			async latestHeadMarker(conversationId) {
				read("The head marker");
				return storage.findLatestHeadMarker(conversationId, undefined, context);
			},

			async createConversation({ ownership }) {
				const owner = await conversationOwner(ownership);
				write();
				const id = await storage.mintId<ConversationId>();
				return stageConversation(tx, owner === undefined ? { id } : { id, owner });
			},

			async createRoot() {
				write();
				return stageConversation(tx, { id: ROOT_CONVERSATION_ID });
			},

			async forkConversation(parentConversationId, at, { ownership }) {
				const owner = await conversationOwner(ownership);
				const fork = await planFork(storage, parentConversationId, at, context);
				write();
				const id = await storage.mintId<ConversationId>();
				for (const copy of fork) {
					const record: DocumentCreate = {
						...copy.create,
						id: await storage.mintId<DocumentId>(),
						scope: { kind: "conversation", conversationId: id },
					} as DocumentCreate;
					copyWrites.push({ type: "document.copy", record, source: copy.source });
					copies.push({
						kind: record.kind,
						scope: record.scope,
						...(record.key === undefined ? {} : { key: record.key }),
					});
				}
				const parent = { conversationId: parentConversationId, at };
				return stageConversation(tx, owner === undefined ? { id, parent } : { id, parent, owner });
			},

			async appendEntry(...args: unknown[]) {
				const [kind, conversationId, draft] =
					typeof args[0] === "number"
						? [undefined, args[0] as ConversationId, args[1] as EntryDraft]
						: [(args[0] as Entry<JsonValue>).kind, args[1] as ConversationId, args[2] as EntryDraft];
				write();
				const id = await storage.mintId<EntryId>();
				const { head, ...rest } = copyLooseJson(draft);
				const entry: EntryRecord = {
					...rest,
					...(head === undefined ? {} : { head: head === "self" ? id : head }),
					kind: kind ?? draft.kind,
					id,
					conversationId,
					...(binding.taskId === undefined ? {} : { byTaskId: binding.taskId }),
					at: clock.now(),
				};
				assertOpen();
				staged.entries.push(entry);
				// biome-ignore lint/suspicious/noExplicitAny: one implementation serves the typed and the untyped overload
				return entry as any;
			},

			async createTask<I, S extends { phase: string }, R, H extends object>(
				task: Task<I, S, R, H>,
				input: I,
				options: TaskOptions,
			): Promise<TaskId<R>> {
				const { definition } = task;
				const { ownership, background = false } = options;
				const owner =
					ownership.kind === "task"
						? await ownerFor(ownership.taskId, `A ${definition.name} task`)
						: undefined;
				const conversationId = options.conversationId ?? owner?.conversationId ?? binding.conversationId;
				if (conversationId === undefined)
					throw new Error(`A ${definition.name} task needs a conversationId: this commit is bound to none`);
				if (owner !== undefined && conversationId !== owner.conversationId)
					throw new Error(`A ${definition.name} task must live in its owner's conversation`);
				if (owner !== undefined && background)
					throw new Error(
						`A ${definition.name} task can't be background: only a conversation's own tasks can`,
					);
				write();
				const id = await storage.mintId<TaskId<R>>();
				const record: AnyTaskRecord = {
					id: id as TaskId<never>,
					conversationId,
					kind: definition.name,
					version: definition.version,
					input: copyStrictJson(input, "input"),
					...(owner === undefined ? {} : { owner: owner.id }),
					background,
					abortRequested: false,
					state: { status: "pending", checkpoint: copyStrictJson(definition.initial(input), "checkpoint") },
				};
				staged.tasks.set(id, record);
				progress.add(conversationId);
				return id;
			},

			async createSubmission(create) {
				write();
				const record = {
					...(copyLooseJson(create) as object),
					id: await storage.mintId<SubmissionId>(),
				} as SubmissionRecord;
				staged.submissions.set(record.id, record);
				return record;
			},
			settleSubmission(id, settlement) {
				write();
				transitions.push({ id, apply: (record) => settled(record, settlement) });
			},
			placeSubmission(id, entry) {
				write();
				transitions.push({ id, apply: (record) => placed(record, entry) });
			},

			replaceTask(record) {
				write();
				staged.tasks.set(record.id, stamped(record, clock.now()));
			},

			async doc(token: unknown, ...args: unknown[]) {
				const definition = (token as AnyDocToken).definition;
				const { address, seed } = await documentAccess(token as AnyDocToken, args);
				// biome-ignore lint/suspicious/noExplicitAny: one implementation serves every overload of doc()
				return documents.draft(address, definition, seed) as any;
			},
			async retireDoc(token: unknown, ...args: unknown[]) {
				const { address } = await documentAccess(token as AnyDocToken, args);
				await documents.retire(address, (token as AnyDocToken).definition);
			},
		};
		return tx;
	}

	async function conversationOwner(ownership: ConversationOwnership): Promise<ConversationRecord["owner"]> {
		if (ownership.kind === "ownerless") return undefined;
		const owner = await ownerFor(ownership.taskId, "A conversation");
		return { conversationId: owner.conversationId, taskId: owner.id };
	}

	async function stageConversation(tx: InternalTx, record: ConversationRecord): Promise<ConversationRecord> {
		staged.conversations.set(record.id, record);
		await hooks.conversationCreated?.(tx, record);
		return record;
	}

	async function retireTaskDocuments(): Promise<StorageWrite[]> {
		const retirements: StorageWrite[] = [];
		for (const task of staged.tasks.values()) {
			if (task.state.status !== "terminal") continue;
			const scope = { kind: "task", taskId: task.id } as const;
			for (const document of documents.createdIn(
				({ scope: at }) => at.kind === "task" && at.taskId === task.id,
			))
				document.retired = true;
			let cursor: Parameters<Storage["scanDocuments"]>[2];
			do {
				const page = await storage.scanDocuments({ scope, at: "current" }, 100, cursor, context);
				for (const record of page.items) retirements.push({ type: "document.retire", id: record.id });
				cursor = page.next;
			} while (cursor !== undefined);
		}
		return retirements;
	}

	return {
		tx: createTx({}),
		async seal() {
			await hooks.beforeSeal?.(createTx({}));
			const retirements = await retireTaskDocuments();
			for (const [taskId, what] of owners) assertCanOwn((await candidateTask(taskId))!, what);
			const prepared = documents.prepare();
			sealed = true;
			for (const id of new Set(transitions.map((transition) => transition.id))) {
				const record = await candidateSubmission(id);
				if (record === undefined) throw new Error(`Submission ${id} doesn't exist`);
				staged.submissions.set(id, record);
			}
			const retired = new Set(
				prepared.flatMap(({ writes }) => writes.flatMap((w) => (w.type === "document.retire" ? [w.id] : []))),
			);
			return {
				staged,
				documents: prepared,
				copies,
				writes: [
					...recordWrites(staged),
					...copyWrites,
					...prepared.flatMap(({ writes }) => writes),
					...retirements.filter((w) => w.type === "document.retire" && !retired.has(w.id)),
				],
			};
		},
		abort() {
			sealed = true;
			documents.abort();
		},
	};
}

function assertCanOwn(owner: AnyTaskRecord, what: string): void {
	const { status } = owner.state;
	if (status === "completing" || status === "terminal")
		throw new Error(`${what} can't belong to task ${owner.id}: it has finished`);
	if (owner.abortRequested) throw new Error(`${what} can't belong to task ${owner.id}: it is being aborted`);
}

/** Startedness and end are facts of the record, whoever writes it. */
function stamped(record: AnyTaskRecord, now: number): AnyTaskRecord {
	const { status } = record.state;
	const startedAt = record.startedAt ?? (status === "running" ? now : undefined);
	const endedAt = record.endedAt ?? (status === "terminal" ? now : undefined);
	return {
		...record,
		...(startedAt === undefined ? {} : { startedAt }),
		...(endedAt === undefined ? {} : { endedAt }),
	};
}

function settled(record: SubmissionRecord, settlement: SubmissionSettlement): SubmissionRecord {
	if (record.status === "done" || record.status === "unanswered") return record;
	if (settlement.status === "done") {
		if (record.type !== "input" || record.status !== "placed")
			throw new Error(`Submission ${record.id} can't be answered: it is a ${record.status} ${record.type}`);
		return { ...record, status: "done", answer: settlement.answer };
	}
	return {
		...record,
		status: "unanswered",
		reason: settlement.reason,
		...(settlement.detail === undefined ? {} : { detail: settlement.detail }),
	} as SubmissionRecord;
}

function placed(record: SubmissionRecord, entry: EntryId): SubmissionRecord {
	if (record.status !== "queued")
		throw new Error(`Submission ${record.id} can't be placed: it is ${record.status}`);
	return (
		record.type === "input" ? { ...record, status: "placed", entry } : { ...record, status: "done", entry }
	) as SubmissionRecord;
}

type PlannedCopy = {
	readonly create: Omit<DocumentCreate, "id" | "scope">;
	readonly source: { readonly id: DocumentId; readonly at: DocumentPoint };
};

/** What a fork at `at` starts with: each of the parent's documents by its own fork policy. */
async function planFork(
	storage: Storage,
	parentId: ConversationId,
	at: EntryId,
	context: Context,
): Promise<PlannedCopy[]> {
	const visible = await storage.entry(parentId, at, context);
	if (visible === undefined) throw new Error(`Entry ${at} isn't part of conversation ${parentId}`);
	const source = visible.entry.conversationId;
	return [
		...(await copiesOf(storage, source, visible.commitSeq, "asOf", context)),
		...(await copiesOf(storage, parentId, "current", "current", context)),
	];
}

async function copiesOf(
	storage: Storage,
	conversationId: ConversationId,
	at: DocumentPoint,
	policy: "asOf" | "current",
	context: Context,
): Promise<PlannedCopy[]> {
	const copies: PlannedCopy[] = [];
	let cursor: Parameters<Storage["scanDocuments"]>[2];
	do {
		const scope = { kind: "conversation", conversationId } as const;
		const page = await storage.scanDocuments({ scope, at }, 100, cursor, context);
		for (const record of page.items) {
			if (!("fork" in record) || record.fork !== policy) continue;
			const { kind, key, history, fork } = record;
			copies.push({
				create: { kind, ...(key === undefined ? {} : { key }), history, fork } as PlannedCopy["create"],
				source: { id: record.id, at },
			});
		}
		cursor = page.next;
	} while (cursor !== undefined);
	return copies;
}

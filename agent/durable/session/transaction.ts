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
	type Id,
	ROOT_CONVERSATION_ID,
	type SubmissionId,
	type TaskId,
} from "../types/ids.ts";
import type { JsonValue } from "../types/json.ts";
import type { Tx } from "../types/session.ts";
import type { Cursor, DocumentAddress, Storage, StorageWrite } from "../types/storage.ts";
import type { SubmissionRecord } from "../types/submissions.ts";
import type { AnyTaskRecord, Task, TaskOptions } from "../types/tasks.ts";
import { type AnyDocToken, resolveAddress } from "./document-address.ts";
import type { PreparedDocument } from "./document-change.ts";
import type { DocumentTable } from "./document-table.ts";
import { planFork } from "./fork-plan.ts";
import { createOpenDocuments } from "./open-documents.ts";
import { assertCanOwn, placed, settled, stamped } from "./record-rules.ts";
import { createStagedRecords, recordWrites, type StagedRecords } from "./staged-records.ts";
import { copyLooseJson, copyStrictJson } from "./strict-json.ts";

/** Whose commit it is: defaults for what it creates. */
export type TxBinding = { readonly conversationId?: ConversationId; readonly taskId?: TaskId };

/** What the harness itself may do in a commit, beyond the public `Tx`. */
export interface InternalTx extends Tx {
	/** Creates the conversation with the reserved id. */
	createRoot(): Promise<ConversationRecord>;
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
	beforeSeal?(commit: SealingCommit): Promise<void>;
};

/** A commit whose callback is done, as its hooks see it. */
export type SealingCommit = Pick<InternalTx, "staged" | "progress"> & {
	/** For a hook that has something to add. */
	open(): InternalTx;
};

export type Transaction = {
	readonly tx: InternalTx;
	/**
	 * Ends the callback's access at once, then lets the hooks have theirs, and computes the batch. Rejects when the
	 * commit would break a rule.
	 */
	seal(): Promise<SealedTransaction>;
	/** Ends all access; nothing is stored. */
	abort(): Promise<void>;
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
	binding: TxBinding,
	context: Context,
): Transaction {
	const staged = createStagedRecords();
	const documents = createOpenDocuments(storage, table, context);
	const progress = new Set<ConversationId>();
	const owners = new Map<TaskId, string>();
	const transitions: { readonly id: SubmissionId; apply(record: SubmissionRecord): SubmissionRecord }[] = [];
	/** Who may use the transaction now. */
	let turn: "callback" | "hooks" | "nobody" = "callback";
	let tableWritten = false;

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

	function createTx(whose: "callback" | "hooks"): InternalTx {
		function assertOpen(): void {
			if (turn !== whose) throw new Error("The commit is over: its transaction can't be used any more.");
		}
		function read(what: string): void {
			assertOpen();
			if (tableWritten) throw new ReadAfterWrite(what);
		}
		function write(): void {
			assertOpen();
			tableWritten = true;
		}
		async function mint<I extends Id<string>>(): Promise<I> {
			write();
			const id = await storage.mintId<I>();
			assertOpen();
			return id;
		}

		const tx: InternalTx = {
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
				const id = await mint<ConversationId>();
				return stageConversation(tx, owner === undefined ? { id } : { id, owner });
			},

			async createRoot() {
				write();
				return stageConversation(tx, { id: ROOT_CONVERSATION_ID });
			},

			async forkConversation(parentConversationId, at, { ownership }) {
				const owner = await conversationOwner(ownership);
				const fork = await planFork(storage, parentConversationId, at, context);
				const id = await mint<ConversationId>();
				const scope = { kind: "conversation", conversationId: id } as const;
				for (const { create, source } of fork) {
					const record = { ...create, id: await mint<DocumentId>(), scope } as DocumentCreate;
					documents.addCopy({ create: record, source });
				}
				const parent = { conversationId: parentConversationId, at };
				return stageConversation(tx, owner === undefined ? { id, parent } : { id, parent, owner });
			},

			async appendEntry(...args: unknown[]) {
				const [kind, conversationId, draft] =
					typeof args[0] === "number"
						? [undefined, args[0] as ConversationId, args[1] as EntryDraft]
						: [(args[0] as Entry<JsonValue>).kind, args[1] as ConversationId, args[2] as EntryDraft];
				const id = await mint<EntryId>();
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
				const id = await mint<TaskId<R>>();
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
				const id = await mint<SubmissionId>();
				const record = { ...(copyLooseJson(create) as object), id } as SubmissionRecord;
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

			doc(token: unknown, ...args: unknown[]) {
				// biome-ignore lint/suspicious/noExplicitAny: one implementation serves every overload of doc()
				return observed(openDocument(token as AnyDocToken, args)) as any;
			},
			async retireDoc(token: unknown, ...args: unknown[]) {
				assertOpen();
				const { address } = await documentAccess(token as AnyDocToken, args);
				await documents.retire(address, (token as AnyDocToken).definition);
			},
		};

		async function openDocument(token: AnyDocToken, args: readonly unknown[]) {
			assertOpen();
			const { address, seed } = await documentAccess(token, args);
			return documents.draft(address, token.definition, seed);
		}

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

	/** A task's documents end with it, those of this very commit included. */
	async function retireTaskDocuments(): Promise<void> {
		for (const task of staged.tasks.values()) {
			if (task.state.status !== "terminal") continue;
			const scope = { kind: "task", taskId: task.id } as const;
			documents.retireCreated(scope);
			let cursor: Cursor | undefined;
			do {
				const page = await storage.scanDocuments({ scope, at: "current" }, 100, cursor, context);
				for (const record of page.items) documents.retireStored(record);
				cursor = page.next;
			} while (cursor !== undefined);
		}
	}

	async function applyTransitions(): Promise<void> {
		for (const id of new Set(transitions.map((transition) => transition.id))) {
			const record = await candidateSubmission(id);
			if (record === undefined) throw new Error(`Submission ${id} doesn't exist.`);
			staged.submissions.set(id, record);
		}
	}

	return {
		tx: createTx("callback"),
		async seal() {
			turn = "hooks";
			documents.revoke();
			await hooks.beforeSeal?.({ staged, progress, open: () => createTx("hooks") });
			turn = "nobody";
			if (staged.tasks.size > 0) await retireTaskDocuments();
			for (const [taskId, what] of owners) assertCanOwn((await candidateTask(taskId))!, what);
			if (transitions.length > 0) await applyTransitions();
			const prepared = documents.prepare();
			return {
				staged,
				documents: prepared,
				copies: documents.copiedAddresses(),
				writes: [
					...recordWrites(staged),
					...documents.copyWrites(),
					...prepared.flatMap(({ writes }) => writes),
				],
			};
		},
		async abort() {
			turn = "nobody";
			await documents.abort();
		},
	};
}

/** A promise whose rejection is noticed even when nobody awaits it: a forgotten `tx.doc()` must not end the process. */
function observed<T>(promise: Promise<T>): Promise<T> {
	promise.catch(() => {});
	return promise;
}

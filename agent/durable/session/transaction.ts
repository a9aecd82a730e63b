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
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { Tx } from "../types/session.ts";
import type { Cursor, DocumentAddress, Storage, StorageWrite } from "../types/storage.ts";
import type { SubmissionCreate, SubmissionRecord } from "../types/submissions.ts";
import type { AnyTaskRecord, Task, TaskOptions } from "../types/tasks.ts";
import { type AnyDocToken, resolveAddress } from "./document-address.ts";
import type { PreparedDocument } from "./document-change.ts";
import type { DocumentTable } from "./document-table.ts";
import { planFork } from "./fork-plan.ts";
import { createOpenDocuments } from "./open-documents.ts";
import { assertCanOwn, placed, settled, stamped } from "./record-rules.ts";
import { createStagedRecords, recordWrites, type StagedRecords } from "./staged-records.ts";
import { copyLooseJson, copyStrictJson } from "./strict-json.ts";
import { createTableReads } from "./table-reads.ts";

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
	/** Steps of the callback that are still under way. */
	let steps = 0;

	/** Must be over when the callback returns. A forgotten one fails the commit, not the process. */
	function step<T>(work: Promise<T>): Promise<T> {
		steps++;
		const over = () => {
			steps--;
		};
		work.then(over, over);
		return work;
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

			...createTableReads(storage, read, context),

			createConversation: (options) => step(createConversation(options.ownership)),
			async createRoot() {
				write();
				return stageConversation(tx, { id: ROOT_CONVERSATION_ID });
			},
			forkConversation: (parent, at, options) => step(forkConversation(parent, at, options.ownership)),
			appendEntry(...args: unknown[]) {
				// biome-ignore lint/suspicious/noExplicitAny: one implementation serves the typed and the untyped overload
				return step(appendEntry(args)) as any;
			},
			createTask: (task, input, options) => step(createTask(task, input, options)),
			createSubmission: (create) => step(createSubmission(create)),
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
				return step(openDocument(token as AnyDocToken, args)) as any;
			},
			retireDoc: (token: unknown, ...args: unknown[]) => step(retireDocument(token as AnyDocToken, args)),
		};

		async function createConversation(ownership: ConversationOwnership): Promise<ConversationRecord> {
			const owner = await conversationOwner(ownership);
			const id = await mint<ConversationId>();
			return stageConversation(tx, owner === undefined ? { id } : { id, owner });
		}

		async function forkConversation(
			parentConversationId: ConversationId,
			at: EntryId,
			ownership: ConversationOwnership,
		): Promise<ConversationRecord> {
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
		}

		async function appendEntry(args: readonly unknown[]): Promise<EntryRecord> {
			const [kind, conversationId, draft] =
				typeof args[0] === "number"
					? [undefined, args[0] as ConversationId, args[1] as EntryDraft]
					: [(args[0] as Entry<JsonValue>).kind, args[1] as ConversationId, args[2] as EntryDraft];
			const { head, ...rest } = copyLooseJson(draft);
			const id = await mint<EntryId>();
			const entry: EntryRecord = {
				...rest,
				...(head === undefined ? {} : { head: head === "self" ? id : head }),
				kind: kind ?? rest.kind,
				id,
				conversationId,
				...(binding.taskId === undefined ? {} : { byTaskId: binding.taskId }),
				at: clock.now(),
			};
			staged.entries.push(entry);
			return entry;
		}

		async function createTask<I, S extends { phase: string }, R, H extends object>(
			task: Task<I, S, R, H>,
			input: I,
			options: TaskOptions,
		): Promise<TaskId<R>> {
			const { definition } = task;
			const { ownership, background = false } = options;
			const work = `A ${definition.name} task`;
			const plan = {
				input: copyStrictJson(input, "input"),
				checkpoint: copyStrictJson(definition.initial(input), "checkpoint"),
			};
			const owner = ownership.kind === "task" ? await ownerFor(ownership.taskId, work) : undefined;
			const conversationId = options.conversationId ?? owner?.conversationId ?? binding.conversationId;
			if (conversationId === undefined)
				throw new Error(`${work} needs a conversationId: this commit is bound to none.`);
			if (owner !== undefined && conversationId !== owner.conversationId)
				throw new Error(`${work} must live in its owner's conversation.`);
			if (owner !== undefined && background)
				throw new Error(`${work} can't be background: only a conversation's own tasks can.`);
			const id = await mint<TaskId<R>>();
			const record: AnyTaskRecord = {
				id: id as TaskId<never>,
				conversationId,
				kind: definition.name,
				version: definition.version,
				input: plan.input,
				...(owner === undefined ? {} : { owner: owner.id }),
				background,
				abortRequested: false,
				state: { status: "pending", checkpoint: plan.checkpoint },
			};
			staged.tasks.set(id, record);
			progress.add(conversationId);
			return id;
		}

		async function createSubmission(create: SubmissionCreate): Promise<SubmissionRecord> {
			const copy = copyLooseJson(create) as object;
			const record = { ...copy, id: await mint<SubmissionId>() } as SubmissionRecord;
			staged.submissions.set(record.id, record);
			return record;
		}

		async function openDocument(token: AnyDocToken, args: readonly unknown[]): Promise<JsonObject> {
			assertOpen();
			const { address, seed } = await documentAccess(token, args);
			return documents.draft(address, token.definition, seed);
		}

		async function retireDocument(token: AnyDocToken, args: readonly unknown[]): Promise<void> {
			assertOpen();
			const { address } = await documentAccess(token, args);
			await documents.retire(address, token.definition);
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
			if (steps > 0)
				throw new Error("A step of the commit was still under way when its callback returned; await it.");
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

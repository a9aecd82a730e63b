import { StorageRejected } from "../errors.ts";
import type { ConversationRecord } from "../types/conversations.ts";
import type { DocumentCreate } from "../types/documents.ts";
import type { EntryRecord } from "../types/entries.ts";
import type { DocumentId, SubmissionId, TaskId } from "../types/ids.ts";
import type { DocumentContent, StorageWrite } from "../types/storage.ts";
import type { SubmissionRecord } from "../types/submissions.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";

type BaseContent = Extract<DocumentContent, { kind: "base" }>;
type CopySource = Extract<StorageWrite, { type: "document.copy" }>["source"];

/** All that one batch does to one incarnation of a document. Content counts before retirement. */
export type DocumentCommand =
	| {
			readonly type: "create";
			readonly record: DocumentCreate;
			readonly content: BaseContent;
			retire: boolean;
	  }
	| { readonly type: "copy"; readonly record: DocumentCreate; readonly source: CopySource; retire: boolean }
	| { readonly type: "change"; readonly id: DocumentId; readonly content: DocumentContent; retire: boolean }
	| { readonly type: "retire"; readonly id: DocumentId };

/** A batch sorted by table, checked for what can be told without looking at the store. */
export type Batch = {
	readonly conversations: readonly ConversationRecord[];
	readonly entries: readonly EntryRecord[];
	/** The last record given for each id. */
	readonly tasks: ReadonlyMap<TaskId, AnyTaskRecord>;
	readonly submissions: ReadonlyMap<SubmissionId, SubmissionRecord>;
	/** Changes and retirements of existing documents come first, so that a new one may take a retired one's place. */
	readonly documents: readonly DocumentCommand[];
};

/** Sorts and checks a batch. Throws `StorageRejected` when it contradicts itself. */
export function toBatch(writes: readonly StorageWrite[]): Batch {
	const conversations: ConversationRecord[] = [];
	const entries: EntryRecord[] = [];
	const tasks = new Map<TaskId, AnyTaskRecord>();
	const submissions = new Map<SubmissionId, SubmissionRecord>();
	const documents = new Map<DocumentId, DocumentCommand>();
	for (const write of writes) {
		switch (write.type) {
			case "conversation":
				conversations.push(write.value);
				break;
			case "entry":
				entries.push(write.value);
				break;
			case "task":
				tasks.set(write.value.id, write.value);
				break;
			case "submission":
				submissions.set(write.value.id, write.value);
				break;
			default:
				addDocumentWrite(documents, write);
		}
	}
	const commands = [...documents.values()];
	checkSources(documents, commands);
	const batch = { conversations, entries, tasks, submissions, documents: existingFirst(commands) };
	checkIds(batch);
	return batch;
}

type DocumentWrite = Extract<StorageWrite, { type: `document.${string}` }>;

function addDocumentWrite(documents: Map<DocumentId, DocumentCommand>, write: DocumentWrite): void {
	const id = "record" in write ? write.record.id : write.id;
	const known = documents.get(id);
	if (write.type === "document.retire") {
		if (known === undefined) documents.set(id, { type: "retire", id });
		else if (known.type === "retire" || known.retire) throw twice(id, "retired");
		else known.retire = true;
		return;
	}
	if (known !== undefined && known.type !== "retire") throw twice(id, "written");
	const retire = known !== undefined;
	if (write.type === "document.create")
		documents.set(id, { type: "create", record: write.record, content: write.content, retire });
	else if (write.type === "document.copy")
		documents.set(id, { type: "copy", record: write.record, source: write.source, retire });
	else documents.set(id, { type: "change", id, content: write.content, retire });
}

function twice(id: DocumentId, what: string): StorageRejected {
	return new StorageRejected(`Document ${id} is ${what} twice in one batch; nothing of it was stored.`);
}

/** A copy is of what was committed before, which a batch that also writes the source would make unclear. */
function checkSources(
	documents: ReadonlyMap<DocumentId, DocumentCommand>,
	commands: readonly DocumentCommand[],
): void {
	for (const command of commands)
		if (command.type === "copy" && documents.has(command.source.id))
			throw new StorageRejected(
				`Document ${command.source.id} is written and copied in one batch; commit the change first.`,
			);
}

function existingFirst(commands: readonly DocumentCommand[]): DocumentCommand[] {
	const isNew = (command: DocumentCommand) => command.type === "create" || command.type === "copy";
	return [...commands.filter((c) => !isNew(c)), ...commands.filter(isNew)];
}

/** Ids are one namespace over all tables, so no two records of a batch share one. */
function checkIds(batch: Batch): void {
	const seen = new Set<number>();
	const claim = (id: number): void => {
		if (!Number.isSafeInteger(id) || id < 1)
			throw new StorageRejected(`${id} is not an id; ids come from mintId().`);
		if (seen.has(id)) throw idTaken(id);
		seen.add(id);
	};
	for (const { id } of batch.conversations) claim(id);
	for (const { id } of batch.entries) claim(id);
	for (const id of batch.tasks.keys()) claim(id);
	for (const id of batch.submissions.keys()) claim(id);
	for (const command of batch.documents) claim("record" in command ? command.record.id : command.id);
}

/** The error of a record whose id something else has. */
export function idTaken(id: number): StorageRejected {
	return new StorageRejected(`Id ${id} is already taken; nothing of the batch was stored.`);
}

/** The error of a record whose id nobody was given. */
export function idNotMinted(id: number): StorageRejected {
	return new StorageRejected(`Id ${id} was never given out by this store; ids come from mintId().`);
}

/** The error of a second submission under one request id. */
export function requestTaken(requestId: string): StorageRejected {
	return new StorageRejected(
		`Request id "${requestId}" already has a submission in its conversation; nothing of the batch was stored.`,
	);
}

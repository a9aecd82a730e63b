import type { ConversationRecord } from "../types/conversations.ts";
import type { EntryRecord } from "../types/entries.ts";
import type { Spent } from "../types/harness.ts";
import type { ConversationId, SubmissionId, TaskId } from "../types/ids.ts";
import type { StorageWrite } from "../types/storage.ts";
import type { SubmissionRecord } from "../types/submissions.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";

/** The table rows one commit will write. A later row of the same id replaces an earlier one. */
export type StagedRecords = {
	readonly conversations: Map<ConversationId, ConversationRecord>;
	readonly entries: EntryRecord[];
	readonly tasks: Map<TaskId, AnyTaskRecord>;
	readonly submissions: Map<SubmissionId, SubmissionRecord>;
	/** What the commit spends; for the host's account, not a row of its own. */
	readonly spent: Omit<Spent, "root">[];
};

export function createStagedRecords(): StagedRecords {
	return { conversations: new Map(), entries: [], tasks: new Map(), submissions: new Map(), spent: [] };
}

export function hasRecords(staged: StagedRecords): boolean {
	return (
		staged.conversations.size > 0 ||
		staged.entries.length > 0 ||
		staged.tasks.size > 0 ||
		staged.submissions.size > 0
	);
}

export function recordWrites(staged: StagedRecords): StorageWrite[] {
	const writes: StorageWrite[] = [];
	for (const value of staged.conversations.values()) writes.push({ type: "conversation", value });
	for (const value of staged.entries) writes.push({ type: "entry", value });
	for (const value of staged.tasks.values()) writes.push({ type: "task", value });
	for (const value of staged.submissions.values()) writes.push({ type: "submission", value });
	return writes;
}

import type { ConversationId, EntryId, TaskId } from "./ids.ts";

/** Stated at every creation: nothing infers who owns a conversation. */
export type ConversationOwnership =
	| { readonly kind: "ownerless" }
	| { readonly kind: "task"; readonly taskId: TaskId };

export type ConversationRecord = {
	readonly id: ConversationId;
	/** Whose entries it sees, up to and including `at`. */
	readonly parent?: { readonly conversationId: ConversationId; readonly at: EntryId };
	readonly owner?: { readonly conversationId: ConversationId; readonly taskId: TaskId };
};

declare const idBrand: unique symbol;

/** A number from the store's one namespace. The brand exists only for the compiler. */
export type Id<Kind extends string, Type = unknown> = number & {
	readonly [idBrand]: { readonly kind: Kind; readonly type: Type };
};

export type ConversationId = Id<"conversation">;
export type EntryId = Id<"entry">;
export type TaskId<Result = unknown> = Id<"task", Result>;
export type SubmissionId = Id<"submission">;
export type DocumentId = Id<"document">;

declare const seqBrand: unique symbol;

/** The number of a commit. Strictly increases between commits; gaps are permitted. */
export type Seq = number & { readonly [seqBrand]: "sequence" };

/** Reserved for `Harness.root()`; no other conversation ever gets it. */
export const ROOT_CONVERSATION_ID = 1 as ConversationId;

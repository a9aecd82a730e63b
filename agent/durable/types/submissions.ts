import type { UserMessage } from "@earendil-works/pi-ai";
import type { EntryDraft } from "./entries.ts";
import type { ConversationId, EntryId, SubmissionId } from "./ids.ts";
import type { JsonObject, JsonValue } from "./json.ts";

export type UserInput = UserMessage["content"];

export type SubmissionDraft = { readonly requestId?: string } & (
	| {
			readonly type: "input";
			readonly content: UserInput;
			/** What happens while a run is going; default `followUp`. */
			readonly whenBusy?: "steer" | "followUp" | "reject";
			readonly entry?: never;
	  }
	| {
			readonly type: "write";
			readonly entry: EntryDraft;
			readonly content?: never;
			readonly whenBusy?: never;
	  }
);

export type InputSubmissionDraft = Extract<SubmissionDraft, { readonly type: "input" }>;

type SubmissionBase = {
	readonly id: SubmissionId;
	readonly conversationId: ConversationId;
	readonly requestId?: string;
};

type Queued = {
	readonly status: "queued";
	readonly entry?: never;
	readonly answer?: never;
	readonly reason?: never;
	readonly detail?: never;
};
type Unanswered<E> = {
	readonly status: "unanswered";
	readonly entry?: E;
	readonly answer?: never;
	readonly reason: string;
	readonly detail?: JsonValue;
};

export type SubmissionRecord =
	| (SubmissionBase & { readonly type: "input" } & (
				| Queued
				| {
						readonly status: "placed";
						readonly entry: EntryId;
						readonly answer?: never;
						readonly reason?: never;
						readonly detail?: never;
				  }
				| {
						readonly status: "done";
						readonly entry: EntryId;
						readonly answer: EntryId;
						readonly reason?: never;
						readonly detail?: never;
				  }
				| Unanswered<EntryId>
			))
	| (SubmissionBase & { readonly type: "write" } & (
				| Queued
				| {
						readonly status: "done";
						readonly entry: EntryId;
						readonly answer?: never;
						readonly reason?: never;
						readonly detail?: never;
				  }
				| Unanswered<never>
			));

export type SettledSubmissionRecord = SubmissionRecord & { readonly status: "done" | "unanswered" };

export type SubmissionSettlement =
	| { readonly status: "done"; readonly answer: EntryId }
	| { readonly status: "unanswered"; readonly reason: string; readonly detail?: JsonValue };

/** A submission before it has an id. */
export type SubmissionCreate = SubmissionRecord extends infer R
	? R extends SubmissionRecord
		? Omit<R, "id">
		: never
	: never;

/** What waits in `pi.inbox`, oldest first. */
export type InboxItem =
	| { id: SubmissionId; mode: "steer" | "followUp"; content: UserInput }
	/** `entry` is the write's `EntryDraft` as plain JSON. */
	| { id: SubmissionId; mode: "write"; entry: JsonObject };

export type InboxState = { items: InboxItem[] };

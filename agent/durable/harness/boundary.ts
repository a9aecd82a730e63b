import type { Settings } from "../types/agent.ts";
import type { EntryDraft } from "../types/entries.ts";
import type { ConversationId, EntryId, SubmissionId } from "../types/ids.ts";
import type { Tx } from "../types/session.ts";
import type { InboxItem, InboxState } from "../types/submissions.ts";
import { InboxDoc } from "./built-in-documents.ts";
import { UserEntry } from "./built-in-entries.ts";

export type BoundaryKind = "postTools" | "final";

/** What a boundary put into the transcript. */
export type Placement = {
	/** Inputs that are now part of the transcript and want an answer. */
	readonly inputs: readonly SubmissionId[];
	/** Whether a new context was started, which ends the run. */
	readonly reset: boolean;
};

export type Boundary = {
	/** Places what this kind of boundary takes. `cutAt` is where a head of this very commit starts the context anew. */
	place(kind: BoundaryKind, cutAt?: EntryId): Promise<Placement>;
};

/**
 * The place between two turns where waiting submissions enter the transcript. `openBoundary` reads what it needs and
 * so comes before a commit's first table write; `place()` may come after. `coming` is the head of a write that joins
 * the inbox in between.
 */
export async function openBoundary(
	tx: Tx,
	conversationId: ConversationId,
	settings: Settings,
	now: number,
	coming?: EntryDraft["head"],
): Promise<Boundary> {
	const inbox = (await tx.doc(InboxDoc, conversationId)) as InboxState;
	const hasHeads =
		coming !== undefined ||
		inbox.items.some((item) => item.mode === "write" && item.entry.head !== undefined);
	let rangeStart = hasHeads ? (await tx.latestHeadMarker(conversationId))?.head : undefined;

	/** A head that points before the active range would bring back what a later head cut away. */
	async function placeWrite(item: Extract<InboxItem, { mode: "write" }>): Promise<void> {
		const draft = JSON.parse(JSON.stringify(item.entry)) as EntryDraft;
		if (typeof draft.head === "number" && rangeStart !== undefined && draft.head < rangeStart) {
			tx.settleSubmission(item.id, { status: "unanswered", reason: "stale" });
			return;
		}
		const entry = await tx.appendEntry(conversationId, draft);
		if (entry.head !== undefined) rangeStart = entry.head;
		tx.placeSubmission(item.id, entry.id);
	}

	return {
		async place(kind, cutAt) {
			if (cutAt !== undefined) rangeStart = cutAt;
			const writes = inbox.items.filter((item) => item.mode === "write");
			const reset = writes.some(({ entry }) => entry.head === "self");
			const asFinal = kind === "final" || reset;
			const users = selectInputs(inbox.items, asFinal, settings);
			const selected = new Set<SubmissionId>([...writes, ...users].map(({ id }) => id));
			for (const item of writes) await placeWrite(item);
			for (const { id, content } of users) {
				const entry = await appendUser(tx, conversationId, JSON.parse(JSON.stringify(content)), now);
				tx.placeSubmission(id, entry);
			}
			for (let i = inbox.items.length - 1; i >= 0; i--)
				if (selected.has(inbox.items[i]!.id)) inbox.items.splice(i, 1);
			return { inputs: users.map(({ id }) => id), reset };
		},
	};
}

export async function appendUser(
	tx: Tx,
	conversationId: ConversationId,
	content: Extract<InboxItem, { mode: "steer" | "followUp" }>["content"],
	now: number,
): Promise<EntryId> {
	const model = [{ role: "user" as const, content, timestamp: now }];
	return (await tx.appendEntry(UserEntry, conversationId, { model })).id;
}

type UserItem = Extract<InboxItem, { mode: "steer" | "followUp" }>;

function selectInputs(items: readonly InboxItem[], asFinal: boolean, settings: Settings): UserItem[] {
	const steers = select(items, "steer", settings.steeringMode);
	const followUps = asFinal ? select(items, "followUp", settings.followUpMode) : [];
	return [...steers, ...followUps].sort((left, right) => left.id - right.id);
}

function select(
	items: readonly InboxItem[],
	mode: "steer" | "followUp",
	queue: Settings["steeringMode"],
): UserItem[] {
	const matching = items.filter((item): item is UserItem => item.mode === mode);
	return queue === "all" ? matching : matching.slice(0, 1);
}

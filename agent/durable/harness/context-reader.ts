import type { Context } from "@earendil-works/chord";
import type { Clock } from "../clock.ts";
import type { SessionCore } from "../session/session.ts";
import type { ContextView } from "../types/context-view.ts";
import type { EntryRecord } from "../types/entries.ts";
import type { ConversationId, EntryId } from "../types/ids.ts";
import type { Cursor, HeadMarker } from "../types/storage.ts";
import { deriveContext } from "./context-derivation.ts";

/** Conversations whose last range stays in memory at most. */
const KEPT = 32;
const PAGE = 500;

type Kept = { readonly head: HeadMarker | undefined; readonly range: EntryRecord[]; usedAt: number };

/**
 * Reads conversations' contexts. The last range of the few conversations in use stays in memory, so that the next
 * request of a run reads only what came since; one idle for `retentionMs` is dropped at the next read of any.
 */
export function createContextReader(session: SessionCore, clock: Clock, retentionMs: () => number) {
	const kept = new Map<ConversationId, Kept>();

	function dropIdle(): void {
		const limit = clock.now() - retentionMs();
		for (const [id, { usedAt }] of kept) if (usedAt < limit) kept.delete(id);
		while (kept.size > KEPT) kept.delete(kept.keys().next().value!);
	}

	async function readRange(
		conversationId: ConversationId,
		from: EntryId | undefined,
		to: EntryId,
		context: Context,
	): Promise<EntryRecord[]> {
		const entries: EntryRecord[] = [];
		let cursor: Cursor | undefined;
		do {
			const page = await session.storage.scanEntries(
				{
					conversationId,
					order: "ascending",
					maxEntryId: to,
					...(from === undefined ? {} : { minEntryId: from }),
				},
				PAGE,
				cursor,
				context,
			);
			entries.push(...page.items);
			cursor = page.next;
		} while (cursor !== undefined);
		return entries;
	}

	/** The bounds are taken on the line; entries never change, so the rest is read off it. */
	function bounds(conversationId: ConversationId, at: EntryId | undefined, context: Context) {
		return session.onLine(async () => {
			if (at !== undefined && (await session.storage.entry(conversationId, at, context)) === undefined)
				throw new Error(`Entry ${at} isn't part of conversation ${conversationId}.`);
			const head = await session.storage.findLatestHeadMarker(conversationId, at, context);
			const newest = await session.storage.scanEntries({ conversationId }, 1, undefined, context);
			return { head, tail: at ?? newest.items[0]?.id };
		});
	}

	return {
		/** The context of a conversation, or as it was at one of its visible entries; rejects when `at` is no such one. */
		async read(
			conversationId: ConversationId,
			at: EntryId | undefined,
			context: Context,
		): Promise<ContextView> {
			dropIdle();
			const { head, tail } = await bounds(conversationId, at, context);
			if (tail === undefined) return deriveContext(undefined, []);
			const known = kept.get(conversationId);
			const last = known?.range.at(-1)?.id;
			let range: EntryRecord[];
			if (known !== undefined && known.head?.id === head?.id && last !== undefined && last <= tail)
				range = [...known.range, ...(await readRange(conversationId, (last + 1) as EntryId, tail, context))];
			else range = await readRange(conversationId, head?.head, tail, context);
			if (at === undefined || last === undefined || tail >= last) {
				kept.delete(conversationId);
				kept.set(conversationId, { head, range, usedAt: clock.now() });
			}
			return deriveContext(head, range);
		},
	};
}

export type ContextReader = ReturnType<typeof createContextReader>;

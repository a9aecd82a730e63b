import type { ConversationRecord } from "../types/conversations.ts";
import type { ConversationId, EntryId } from "../types/ids.ts";
import type { ScanOrder } from "../types/storage.ts";
import type { ScanPosition } from "./scan.ts";

/** One conversation's own entries as a descendant sees them: those with ids up to `cap`. */
export type Segment = { readonly conversationId: ConversationId; readonly cap: number };

type ParentOf = (id: ConversationId) => ConversationRecord["parent"];

/** Reads one conversation's own entries, ids `min` to `max`, at most `limit` of them. */
export type ReadSegment<T> = (
	conversationId: ConversationId,
	range: { readonly min: number; readonly max: number; readonly order: ScanOrder; readonly limit: number },
) => readonly T[];

/**
 * The conversation, its parent, the parent's parent and so on, read only as far as the caller goes on asking. A fork
 * may sit on an entry its parent inherited, so every cap also bounds the ancestors behind it.
 */
export function* lineage(conversationId: ConversationId, parentOf: ParentOf): Generator<Segment> {
	let segment: Segment = { conversationId, cap: Number.MAX_SAFE_INTEGER };
	for (;;) {
		yield segment;
		const parent = parentOf(segment.conversationId);
		if (parent === undefined) return;
		segment = { conversationId: parent.conversationId, cap: Math.min(segment.cap, parent.at) };
	}
}

/** Whether the conversation sees the entry: its own, or inherited up to a fork point. */
export function isVisible(
	conversationId: ConversationId,
	entry: { readonly id: EntryId; readonly conversationId: ConversationId },
	parentOf: ParentOf,
): boolean {
	for (const segment of lineage(conversationId, parentOf)) {
		if (segment.cap < entry.id) return false;
		if (segment.conversationId === entry.conversationId) return true;
	}
	return false;
}

/**
 * Reads up to `limit` visible entries. Ids grow along a lineage (a child's own entries come after its fork point), so
 * walking segment by segment is walking by id.
 */
export function readVisible<T>(
	conversationId: ConversationId,
	bounds: { readonly min: number; readonly max: number },
	position: ScanPosition,
	limit: number,
	parentOf: ParentOf,
	read: ReadSegment<T>,
): T[] {
	const descending = position.order === "descending";
	const after = position.after;
	const min = !descending && after !== undefined ? Math.max(bounds.min, after + 1) : bounds.min;
	const max = descending && after !== undefined ? Math.min(bounds.max, after - 1) : bounds.max;
	const found: T[] = [];
	for (const segment of descending
		? lineage(conversationId, parentOf)
		: oldestFirst(conversationId, min, parentOf)) {
		if (segment.cap < min) break;
		const range = {
			min,
			max: Math.min(max, segment.cap),
			order: position.order,
			limit: limit - found.length,
		};
		if (range.min <= range.max) for (const item of read(segment.conversationId, range)) found.push(item);
		if (found.length >= limit) break;
	}
	return found;
}

/** The segments that can hold an id from `min` on, the oldest ancestor first. */
function oldestFirst(conversationId: ConversationId, min: number, parentOf: ParentOf): Segment[] {
	const segments: Segment[] = [];
	for (const segment of lineage(conversationId, parentOf)) {
		if (segment.cap < min) break;
		segments.push(segment);
	}
	return segments.reverse();
}

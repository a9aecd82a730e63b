import type { Context } from "@earendil-works/chord";
import type { Conversation, ConversationId, EntryId, EntryRecord, Harness } from "../durable/index.ts";
import {
	type EntryPage,
	MAX_SNAPSHOT_BYTES,
	protocolError,
	type Spend,
	type WireEntry,
} from "../protocol/index.ts";
import { readEntryId } from "./ids.ts";
import { repairsIn } from "./sources/conversation-facts.ts";
import { readSpend, subagentsOf } from "./sources/subagents.ts";
import { callOf, repairedEntry } from "./views/entry-window.ts";
import { createSpentEntries } from "./views/spent-entries.ts";
import { ALONE, entryBytes, PART_OF_MANY, wireEntry } from "./views/wire-entry.ts";

/** How far after a page the results of its last calls are looked for. */
const RESULTS_AHEAD = 64;

export type EntryQuery = {
	readonly around?: string | undefined;
	readonly before?: string | undefined;
	readonly after?: string | undefined;
	readonly limit: number;
};

/** Entries on both sides of a place in the transcript, the nearest first. */
type Sides = {
	readonly older: readonly EntryRecord[];
	readonly newer: readonly EntryRecord[];
	/** The place itself: what isn't above it is older. */
	readonly place: number;
};

type Shown = { readonly id: number; readonly entry: WireEntry };

/**
 * Entries anywhere in a transcript, oldest first: `limit` of them, or as many as fit into 2 MiB, nearest to what was
 * asked for. One that is asked for by itself comes whole. Throws `not_found` when there is nothing to be `around`.
 */
export async function entryPage(
	harness: Harness,
	conversation: Conversation,
	query: EntryQuery,
	context: Context,
): Promise<EntryPage> {
	const limits = query.limit === 1 ? ALONE : PART_OF_MANY;
	const { older, newer, place } = await sidesOf(conversation, query, context);
	const subagents = await subagentsOf(harness, [...older, ...newer]);
	const show = (record: EntryRecord): Shown => {
		const owned = record.byTaskId === undefined ? undefined : subagents.get(record.byTaskId);
		const facts = owned === undefined ? {} : { conversation: owned };
		return { id: record.id, entry: wireEntry(record, limits, facts) };
	};
	const page = fitting(older.map(show), newer.map(show));
	const first = page[0]?.id ?? place + 1;
	const last = page.at(-1)?.id ?? place;
	const results = await resultsAfter(conversation, page, context);
	const entries = withRepairs(page, [...older.toReversed(), ...newer, ...results], limits.arguments);
	return {
		entries: await withSpends(harness, entries),
		hasOlder: await hasAny(conversation, { maxEntryId: (first - 1) as EntryId }, context),
		hasNewer: await hasAny(conversation, { minEntryId: (last + 1) as EntryId }, context),
	};
}

async function sidesOf(conversation: Conversation, query: EntryQuery, context: Context): Promise<Sides> {
	const { around, before, after, limit } = query;
	const upTo = (id: number, count: number) => read(conversation, "descending", id, count, context);
	const from = (id: number, count: number) => read(conversation, "ascending", id, count, context);
	if (before !== undefined) {
		const place = readEntryId(before) - 1;
		return { older: await upTo(place, limit), newer: [], place };
	}
	if (after !== undefined) {
		const place = readEntryId(after);
		return { older: [], newer: await from(place + 1, limit), place };
	}
	const place = readEntryId(around!);
	const olderCount = Math.ceil(limit / 2);
	const older = await upTo(place, olderCount);
	if (older[0]?.id !== place)
		throw protocolError("not_found", `There is no entry ${place} in this session; use the id of one in it.`);
	return { older, newer: limit === olderCount ? [] : await from(place + 1, limit - olderCount), place };
}

async function read(
	conversation: Conversation,
	order: "ascending" | "descending",
	id: number,
	count: number,
	context: Context,
): Promise<readonly EntryRecord[]> {
	const bound = order === "ascending" ? { minEntryId: id as EntryId } : { maxEntryId: id as EntryId };
	return (await conversation.entries({ ...bound, order }, count, undefined, context)).items;
}

async function hasAny(
	conversation: Conversation,
	bound: { readonly minEntryId?: EntryId; readonly maxEntryId?: EntryId },
	context: Context,
): Promise<boolean> {
	return (await conversation.entries(bound, 1, undefined, context)).items.length > 0;
}

/** What each subagent that a call of the page had has spent. */
async function withSpends(harness: Harness, entries: readonly WireEntry[]): Promise<WireEntry[]> {
	const spends = new Map<string, Spend>();
	for (const entry of entries)
		if (entry.role === "toolResult" && entry.conversation !== undefined)
			spends.set(entry.conversation, await readSpend(harness, Number(entry.conversation) as ConversationId));
	return [...createSpentEntries((conversation) => spends.get(conversation))(entries)];
}

/** As many as there is room for, taken from the place outwards; one at least. Oldest first. */
function fitting(older: readonly Shown[], newer: readonly Shown[]): Shown[] {
	const page: Shown[] = [];
	let room = MAX_SNAPSHOT_BYTES;
	const take = (shown: Shown | undefined, add: (shown: Shown) => void): boolean => {
		if (shown === undefined) return false;
		room -= entryBytes(shown.entry);
		if (room < 0 && page.length > 0) return false;
		add(shown);
		return true;
	};
	let before = true;
	let after = true;
	for (let distance = 0; before || after; distance++) {
		before &&= take(older[distance], (shown) => page.unshift(shown));
		after &&= take(newer[distance], (shown) => page.push(shown));
	}
	return page;
}

/** Results of calls at the end of a page that stand after it. */
async function resultsAfter(
	conversation: Conversation,
	page: readonly Shown[],
	context: Context,
): Promise<readonly EntryRecord[]> {
	const last = page.at(-1);
	const lastAnswer = page.findLast(({ entry }) => entry.role === "assistant")?.entry;
	if (last === undefined || lastAnswer?.role !== "assistant" || lastAnswer.toolCalls === undefined) return [];
	return read(conversation, "ascending", last.id + 1, RESULTS_AHEAD, context);
}

/** Marks the calls that ran with other arguments than the model sent, as their results say. */
function withRepairs(page: readonly Shown[], records: readonly EntryRecord[], most: number): WireEntry[] {
	const entries = page.map(({ entry }) => entry);
	for (const { callId, ...repair } of repairsIn(records)) {
		const index = entries.findLastIndex((entry) => callOf(entry, callId) !== undefined);
		const entry = entries[index];
		if (entry !== undefined) entries[index] = repairedEntry(entry, callId, repair, most);
	}
	return entries;
}

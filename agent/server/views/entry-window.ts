import type { ToolCall, WireEntry } from "../../protocol/index.ts";
import { SHARE } from "./sizes.ts";
import { withRepair } from "./tool-call.ts";
import { entryBytes, PART_OF_MANY } from "./wire-entry.ts";

/**
 * The newest entries of a transcript, in the order they were written. As new ones come, old ones leave at the front: past
 * `tail` entries, and when together they take more than their share of a snapshot.
 */
export function createEntryWindow(tail: number) {
	let entries: readonly WireEntry[] = [];
	const sizes = new Map<string, number>();
	let bytes = 0;
	let hasOlder = false;

	function measure(entry: WireEntry): void {
		const size = entryBytes(entry) + 1;
		bytes += size - (sizes.get(entry.id) ?? 0);
		sizes.set(entry.id, size);
	}

	function trim(): void {
		let drop = 0;
		while (entries.length - drop > tail || (bytes > SHARE.entries && entries.length - drop > 1)) {
			const { id } = entries[drop]!;
			bytes -= sizes.get(id)!;
			sizes.delete(id);
			drop++;
		}
		if (drop === 0) return;
		hasOlder = true;
		entries = entries.slice(drop);
	}

	return {
		/** Oldest first. The same list as long as nothing in it changed. */
		get entries() {
			return entries;
		},
		/** Whether there are any before the first of `entries`. */
		get hasOlder() {
			return hasOlder;
		},
		/** Takes the newest ones there are already, oldest first. */
		begin(newest: readonly WireEntry[], olderThere: boolean): void {
			hasOlder = olderThere;
			entries = newest;
			for (const entry of newest) measure(entry);
			trim();
		},
		append(added: readonly WireEntry[]): void {
			entries = [...entries, ...added];
			for (const entry of added) measure(entry);
			trim();
		},
		/** Says of a call, in the entry that made it, that it ran with other arguments than the model sent. */
		repair(callId: string, repair: Repair): void {
			const index = entries.findLastIndex((entry) => callOf(entry, callId) !== undefined);
			const entry = entries[index];
			if (entry === undefined) return;
			const repaired = repairedEntry(entry, callId, repair, PART_OF_MANY.arguments);
			entries = entries.with(index, repaired);
			measure(repaired);
			trim();
		},
		/** What the newest call of this id is called. */
		nameOfCall(callId: string): string | undefined {
			const entry = entries.findLast((candidate) => callOf(candidate, callId) !== undefined);
			return entry === undefined ? undefined : callOf(entry, callId)?.name;
		},
	};
}

export type EntryWindow = ReturnType<typeof createEntryWindow>;

/** What a call ran with in the place of what the model sent, and what was done to get there. */
export type Repair = Parameters<typeof withRepair>[1];

/** The entry with one of its calls marked as repaired; `most` as for `wireToolCall`. */
export function repairedEntry(entry: WireEntry, callId: string, repair: Repair, most: number): WireEntry {
	if (entry.role !== "assistant" || entry.toolCalls === undefined) return entry;
	const toolCalls = entry.toolCalls.map((call) =>
		call.id === callId && call.repair === undefined ? withRepair(call, repair, most) : call,
	);
	return { ...entry, toolCalls };
}

/** The call of this id that the entry makes. */
export function callOf(entry: WireEntry, callId: string): ToolCall | undefined {
	return entry.role === "assistant" ? entry.toolCalls?.find(({ id }) => id === callId) : undefined;
}

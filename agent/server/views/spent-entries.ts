import type { Spend, WireEntry } from "../../protocol/index.ts";

/**
 * Puts beside each result of a subagent's call what the subagent has spent. What didn't change is the same object as
 * before, the whole list too.
 *
 * @param spendOf by a subagent's conversation; the same object as long as it is the same
 */
export function createSpentEntries(
	spendOf: (conversation: string) => Spend | undefined,
): (entries: readonly WireEntry[]) => readonly WireEntry[] {
	const made = new WeakMap<WireEntry, { readonly spend: Spend; readonly entry: WireEntry }>();
	let last: readonly WireEntry[] = [];

	function withSpend(entry: WireEntry): WireEntry {
		if (entry.role !== "toolResult" || entry.conversation === undefined) return entry;
		const spend = spendOf(entry.conversation);
		if (spend === undefined) return entry;
		const known = made.get(entry);
		if (known?.spend === spend) return known.entry;
		const shown = { ...entry, spend };
		made.set(entry, { spend, entry: shown });
		return shown;
	}

	return (entries) => {
		const shown = entries.map(withSpend);
		const isSame = shown.length === last.length && shown.every((entry, index) => entry === last[index]);
		if (!isSame) last = shown;
		return last;
	};
}

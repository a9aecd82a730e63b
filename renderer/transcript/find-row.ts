import type { WireEntry } from "../../agent/protocol/index.ts";
import { resultOf } from "./calls.ts";
import type { TranscriptItem } from "./items.ts";

/** A row, and what has to be unfolded for a person to read what was found in it. */
export type FoundRow = { readonly key: string; readonly unfold: readonly string[] };

/**
 * The row in which an entry's words stand. Of an answer with several blocks the first that has one of the words.
 *
 * @param words in small letters
 * @param keyOf the key that an entry's rows begin with
 */
export function findRow(
	items: readonly TranscriptItem[],
	entry: WireEntry,
	words: readonly string[],
	keyOf: (entry: WireEntry) => string,
): FoundRow | undefined {
	const key = keyOf(entry);
	const own = items.filter((item) => item.key === key || item.key.startsWith(`${key}/`));
	const said = own.filter((item) => item.kind === "said");
	const hit = said.find(({ block }) => words.some((word) => block.source.toLowerCase().includes(word)));
	if (hit !== undefined) return { key: hit.key, unfold: hit.block.kind === "code" ? [hit.key] : [] };
	for (const item of items) {
		if (item.kind === "call" && resultOf(item.call)?.id === entry.id)
			return { key: item.key, unfold: [item.key] };
		if (item.kind !== "quiet") continue;
		const step = item.steps.find((each) => each.kind === "look" && resultOf(each.call)?.id === entry.id);
		if (step !== undefined) return { key: item.key, unfold: [item.key, `${step.key}/step`] };
	}
	const [first] = own;
	if (first === undefined) return undefined;
	return { key: first.key, unfold: first.kind === "summary" ? [first.key] : [] };
}

import type { WireEntry } from "../../agent/protocol/index.ts";

/**
 * A stretch of entries whose rows depend on nothing outside of it but `model` and `next`: calls meet their results, and
 * calls that only look fold together, inside one chunk only.
 */
export type Chunk = {
	readonly entries: readonly WireEntry[];
	/** What answered before it, where that is known and matters. */
	readonly model: string | undefined;
	/** The role of the entry after it. */
	readonly next: WireEntry["role"] | undefined;
};

/**
 * Cuts a transcript before each message of a person and each answer with words.
 *
 * @param before what answered before these entries, where that is known
 */
export function chunksOf(entries: readonly WireEntry[], before?: string): Chunk[] {
	const chunks: Chunk[] = [];
	let begin = 0;
	let model = before;
	for (let end = 1; end <= entries.length; end++) {
		const next = entries[end];
		if (next !== undefined && !isBoundary(next)) continue;
		const own = entries.slice(begin, end);
		// A chunk that doesn't depend on the model stays the same when older entries are loaded.
		const isAboutModel = own.some(({ role }) => role === "assistant" || role === "system");
		chunks.push({ entries: own, model: isAboutModel ? model : undefined, next: next?.role });
		model = own.findLast((entry) => entry.role === "assistant")?.model ?? model;
		begin = end;
	}
	return chunks;
}

function isBoundary(entry: WireEntry): boolean {
	return entry.role === "user" || (entry.role === "assistant" && entry.text.trim() !== "");
}

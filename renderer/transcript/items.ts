import type {
	AssistantEntry,
	LiveView,
	SystemEntry,
	UserEntry,
	WireEntry,
} from "../../agent/protocol/index.ts";
import { type Block, createBlockSplitter, splitBlocks } from "../markdown/blocks.ts";
import type { CallView } from "./calls.ts";
import { chunkItems } from "./chunk-items.ts";
import { type Chunk, chunksOf } from "./chunks.ts";

/** A quiet step: thinking, or a call that only looks. */
export type Step = { readonly key: string } & (
	| { readonly kind: "thought"; readonly text: string; readonly isLive: boolean }
	| { readonly kind: "look"; readonly call: CallView }
);

/** A row of the transcript. Its key stays the same while it grows, also when what grew becomes an entry. */
export type TranscriptItem = { readonly key: string } & (
	| { readonly kind: "you"; readonly entry: UserEntry }
	/** `isLive`: more of it is being written. `isLast`: the answer's words end with it. */
	| {
			readonly kind: "said";
			readonly block: Block;
			readonly isLive: boolean;
			readonly isLast: boolean;
			/** Of the last one: the entry that a fork from here ends with, which is its calls' newest result. */
			readonly forkAt?: string;
	  }
	/** The rest of an entry that is longer than a view holds. */
	| { readonly kind: "cut"; readonly entry: string; readonly shown: number; readonly total: number }
	| { readonly kind: "quiet"; readonly steps: readonly Step[] }
	| { readonly kind: "call"; readonly call: CallView }
	| { readonly kind: "rule"; readonly text: string }
	/** From here on the model sees this summary in the place of what came before. */
	| { readonly kind: "summary"; readonly entry: SystemEntry; readonly words: string }
	| { readonly kind: "failure"; readonly text: string }
);

/** What the answer that is being written ends with, in the place of a stop reason. */
export const UNFINISHED = "unfinished";

/**
 * Makes rows from a transcript and what is going on in it. Rows of what didn't change are the same objects as the time
 * before, whatever changed around them.
 */
export function createTranscriptItems(
	growing: GrowingKeys = createGrowingKeys(),
): (entries: readonly WireEntry[], live: LiveView) => readonly TranscriptItem[] {
	const made = new WeakMap<WireEntry, { readonly chunk: Chunk; readonly items: readonly TranscriptItem[] }>();
	const blocks = new WeakMap<WireEntry, readonly Block[]>();
	const splitter = createBlockSplitter();
	const storedChunks = lastOf((entries: readonly WireEntry[]) => chunksOf(entries));
	let prefix:
		| {
				readonly first: Chunk;
				readonly last: Chunk;
				readonly count: number;
				readonly items: readonly TranscriptItem[];
		  }
		| undefined;

	function blocksOf(entry: AssistantEntry): readonly Block[] {
		if (entry.stopReason === UNFINISHED) return splitter.update(entry.text);
		// What grew goes on as the blocks it was, so that nothing of it is drawn again.
		const known =
			blocks.get(entry) ?? (growing.hasGrown(entry) ? splitter.update(entry.text) : splitBlocks(entry.text));
		blocks.set(entry, known);
		return known;
	}

	function settled(chunk: Chunk): readonly TranscriptItem[] {
		const known = made.get(chunk.entries[0]!);
		if (known !== undefined && isSameChunk(known.chunk, chunk)) return known.items;
		const items = chunkItems(chunk, { keyOf: growing.keyOf, blocksOf });
		made.set(chunk.entries[0]!, { chunk, items });
		return items;
	}

	/** Rows of the first so many chunks: while an answer grows, they stay the same from frame to frame. */
	function settledItems(chunks: readonly Chunk[], count: number): readonly TranscriptItem[] {
		const [first] = chunks;
		const last = chunks[count - 1];
		if (first === undefined || last === undefined) return [];
		if (prefix !== undefined && prefix.first === first && prefix.last === last && prefix.count === count)
			return prefix.items;
		const items = chunks.slice(0, count).flatMap((chunk) => settled(chunk));
		prefix = { first, last, count, items };
		return items;
	}

	return (entries, live) => {
		const key = growing.follow(entries, live.partial !== undefined);
		const stored = storedChunks(entries);
		const chunks = key === undefined ? stored : withGrowing(stored, entries, unfinished(key, live));
		// The newest chunks hold the calls that are going on; what they show changes with them.
		const from = live.run === undefined ? chunks.length : chunks.length - (live.tools.length > 0 ? 2 : 1);
		const newest = chunks
			.slice(Math.max(0, from))
			.flatMap((chunk) => chunkItems(chunk, { keyOf: growing.keyOf, blocksOf, live }));
		return [...settledItems(chunks, Math.max(0, from)), ...newest];
	};
}

/** What is worked out from a value, once for each value in a row. */
function lastOf<V, R>(make: (value: V) => R): (value: V) => R {
	let last: { readonly value: V; readonly result: R } | undefined;
	return (value) => {
		if (last?.value !== value) last = { value, result: make(value) };
		return last.result;
	};
}

/** The chunks with an answer that is being written at their end: only the last one can be another by it. */
function withGrowing(
	chunks: readonly Chunk[],
	entries: readonly WireEntry[],
	growing: AssistantEntry,
): readonly Chunk[] {
	const last = chunks.at(-1)?.entries ?? [];
	const before = entries.slice(0, entries.length - last.length).findLast(({ role }) => role === "assistant");
	const model = before?.role === "assistant" ? before.model : undefined;
	return [...chunks.slice(0, -1), ...chunksOf([...last, growing], model)];
}

/** The answer so far, as the entry it will be. */
function unfinished(key: string, { partial }: LiveView): AssistantEntry {
	return {
		id: key,
		kind: "pi.assistant",
		role: "assistant",
		at: 0,
		model: "",
		stopReason: UNFINISHED,
		text: "",
		...partial,
	};
}

/** Keys of answers: one that was shown while it grew keeps the key it had then. */
export function createGrowingKeys() {
	const keys = new Map<string, string>();
	let current: { readonly key: string; readonly after: string | undefined } | undefined;
	let count = 0;

	return {
		hasGrown: (entry: WireEntry): boolean => keys.has(entry.id),
		keyOf: (entry: WireEntry): string => keys.get(entry.id) ?? entry.id,
		/** @returns the key of the answer that is being written, if one is */
		follow(entries: readonly WireEntry[], isGrowing: boolean): string | undefined {
			const newest = entries.findLast((entry) => entry.role === "assistant")?.id;
			if (current !== undefined && newest !== current.after) {
				if (newest !== undefined) keys.set(newest, current.key);
				current = undefined;
			}
			if (!isGrowing) current = undefined;
			else current ??= { key: `growing-${++count}`, after: newest };
			return current?.key;
		},
	};
}

export type GrowingKeys = ReturnType<typeof createGrowingKeys>;

function isSameChunk(one: Chunk, other: Chunk): boolean {
	return (
		one.model === other.model &&
		one.next === other.next &&
		one.entries.length === other.entries.length &&
		one.entries.every((entry, index) => entry === other.entries[index])
	);
}

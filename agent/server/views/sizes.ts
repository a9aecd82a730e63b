import { type Cut, cutText, MAX_SNAPSHOT_BYTES } from "../../protocol/index.ts";

/** The most bytes of JSON that one UTF-16 unit takes: a control character as `\u0000`. */
const WORST_BYTES_PER_UNIT = 6;
const KIB = 1024;

/**
 * How a snapshot of a session, 2 MiB at most, is shared out, in bytes of JSON. What is going on is either an answer or
 * a round of tools.
 */
export const SHARE = {
	entries: 1024 * KIB,
	/** One of the entries. */
	entry: 256 * KIB,
	partialText: 384 * KIB,
	partialThinking: 96 * KIB,
	partialCalls: 128 * KIB,
	toolOutputs: 384 * KIB,
	toolDetails: 128 * KIB,
	inbox: 128 * KIB,
	tasks: 128 * KIB,
	/** Summary, submissions, usage, requests, agent and background processes. */
	rest: 128 * KIB,
} as const;

const GOING_ON = Math.max(
	SHARE.partialText + SHARE.partialThinking + SHARE.partialCalls,
	SHARE.toolOutputs + SHARE.toolDetails,
);
if (SHARE.entries + GOING_ON + SHARE.inbox + SHARE.tasks + SHARE.rest > MAX_SNAPSHOT_BYTES)
	throw new Error("The shares of a snapshot add up to more than a snapshot may have.");

/** How many bytes a value takes as JSON. */
export function jsonBytes(value: unknown): number {
	return Buffer.byteLength(JSON.stringify(value));
}

/** The beginning of a text that takes at most `most` bytes inside JSON, with a mark when that isn't all of it. */
export function cutToBytes(text: string, most: number): { text: string; cut?: Cut } {
	return fitsSurely(text, most)
		? { text }
		: cutText(
				text,
				unitsThatFit(most, text.length, (units) => cutText(text, units).text),
			);
}

/** The end of a text that takes at most `most` bytes inside JSON, and how many bytes of the text are left out. */
export function tailToBytes(text: string, most: number): { text: string; droppedBytes: number } {
	if (fitsSurely(text, most)) return { text, droppedBytes: 0 };
	const shown = tailOf(
		text,
		unitsThatFit(most, text.length, (units) => tailOf(text, units)),
	);
	return { text: shown, droppedBytes: Buffer.byteLength(text) - Buffer.byteLength(shown) };
}

function fitsSurely(text: string, most: number): boolean {
	return text.length * WORST_BYTES_PER_UNIT <= most;
}

/** How many units of a text fit; `piece` is the part of that many. */
function unitsThatFit(most: number, length: number, piece: (units: number) => string): number {
	// Each takes a byte at least, so a longer piece is never measured.
	let units = Math.min(length, most);
	for (;;) {
		const bytes = jsonBytes(piece(units)) - 2;
		if (bytes <= most) return units;
		units = Math.floor((units * most) / bytes);
	}
}

function tailOf(text: string, units: number): string {
	const start = text.length - units;
	const first = text.charCodeAt(start);
	// Not between the halves of a surrogate pair.
	return text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start);
}

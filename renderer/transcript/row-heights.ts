import type { TranscriptItem } from "./items.ts";

const LINE = 23.5;
const CODE_LINE = 19;
const CHARACTERS = 92;

/** About how high a row will be, in px, before it was ever drawn. Only the scroll bar depends on it. */
export function guessHeight(item: TranscriptItem): number {
	switch (item.kind) {
		case "you":
			return 34 + linesOf(item.entry.text, 80) * 22;
		case "said":
			return item.block.kind === "code"
				? 42 + Math.min(300, linesOf(item.block.code, Number.POSITIVE_INFINITY)) * CODE_LINE
				: 10 + linesOf(item.block.source, CHARACTERS) * LINE;
		case "call":
			return item.call.name === "bash" ? 150 : 120;
		case "quiet":
			return 40;
		case "cut":
		case "rule":
		case "summary":
		case "failure":
			return 42;
	}
}

function linesOf(text: string, width: number): number {
	let lines = 0;
	for (const line of text.split("\n", 400)) lines += Math.max(1, Math.ceil(line.length / width));
	return lines;
}

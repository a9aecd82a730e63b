import type { OutputWindow } from "../../durable/env/durable-commands.ts";
import { decodeBytes } from "./decode-bytes.ts";
import { firstLines, lastLines } from "./fit-lines.ts";
import { terminalLines } from "./terminal.ts";

/** What the model and a watcher get at most, in characters, without the line about what is left out. */
export const MOST_CHARACTERS = 30_000;
/** A third for the beginning, the rest for the end, where a failure usually says what it is. */
const HEAD_CHARACTERS = MOST_CHARACTERS / 3;

export type ViewOptions = {
	/** For people; the model gets none. */
	readonly colours: boolean;
	/** More may come: half a character or escape at the end is not shown yet. */
	readonly live: boolean;
};

export type OutputView = {
	readonly text: string;
	readonly cut: boolean;
};

/**
 * An output as a terminal would show it in the end, head and tail within 30,000 characters, and a line that says how
 * much is left out between. Depends on nothing but the window, so no decoder's state has to survive a restart.
 */
export function viewOutput(output: OutputWindow, { colours, live }: ViewOptions): OutputView {
	const { head, tail, size, lost } = output;
	const unseen = size - head.length - tail.length;
	if (unseen === 0) {
		const text = decodeBytes(Buffer.concat([head, tail]), { end: live });
		const lines = withoutBlankEnd(terminalLines(text, { colours }));
		if (lengthOf(lines) <= MOST_CHARACTERS) return { text: lines.join("\n"), cut: false };
		return joined(lines, lines, Buffer.byteLength(lines.join("\n")), lost);
	}
	const headLines = withoutBlankEnd(terminalLines(decodeBytes(head, { end: true }), { colours }));
	const tailText = fromLineStart(decodeBytes(tail, { begin: true, end: live }));
	const tailLines = withoutBlankEnd(terminalLines(tailText, { colours }));
	const seen = Buffer.byteLength(headLines.join("\n")) + Buffer.byteLength(tailLines.join("\n"));
	return joined(headLines, tailLines, seen + unseen, lost);
}

function joined(
	headLines: readonly string[],
	tailLines: readonly string[],
	bytes: number,
	lost: number,
): OutputView {
	const head = firstLines(headLines, HEAD_CHARACTERS);
	const tail = lastLines(tailLines, MOST_CHARACTERS - HEAD_CHARACTERS);
	const leftOut = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
	return { text: [head, leftOutLine(leftOut, lost), tail].join("\n"), cut: true };
}

function leftOutLine(bytes: number, lost: number): string {
	const count = (amount: number) => amount.toLocaleString("en-US");
	const gone = lost === 0 ? "" : `, ${count(lost)} of them no longer kept`;
	return `[… ${count(bytes)} bytes left out${gone} …]`;
}

function lengthOf(lines: readonly string[]): number {
	return lines.reduce((sum, line) => sum + line.length + 1, -1);
}

function withoutBlankEnd(lines: readonly string[]): readonly string[] {
	const last = lines.findLastIndex((line) => line.trim() !== "");
	return lines.slice(0, last + 1);
}

/** After a gap the first line is a part of one; where the next begins soon, it is let go. */
function fromLineStart(text: string): string {
	const newline = text.indexOf("\n");
	return newline >= 0 && newline < 2000 ? text.slice(newline + 1) : text;
}

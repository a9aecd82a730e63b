import {
	contentOffset,
	type FoldedLine,
	foldLine,
	indentationOf,
	tabWidths,
	widthOf,
} from "./folded-line.ts";
import { commonLines, type Line, splitLines } from "./line-ends.ts";
import type { Replacement } from "./replacement.ts";

type Match = { readonly start: number; readonly end: number; readonly tabWidth: number };

/**
 * Looks for `wanted` once more where it wasn't found exactly: trailing white space, typographic quotes and
 * indentation by tabs or spaces may differ. Returns a replacement for every place that reads the same, in the file's
 * own style; lines that `text` leaves as `wanted` has them stay as the file has them.
 */
export function findTolerant(content: string, wanted: string, text: string): Replacement[] {
	const lines = splitLines(content);
	const wantedLines = splitLines(wanted).map((line) => line.content);
	if (wantedLines.every((line) => line.trim() === "")) return [];
	const hasTabs = content.includes("\t") || wanted.includes("\t");
	const matches = new Map<number, Match>();
	for (const tabWidth of hasTabs ? tabWidths : tabWidths.slice(0, 1))
		for (const match of matchesAt(lines, wantedLines, tabWidth))
			if (!matches.has(match.start)) matches.set(match.start, match);
	return [...matches.values()]
		.sort((a, b) => a.start - b.start)
		.map(({ start, end, tabWidth }) => ({
			start,
			end,
			text: inFileStyle(content.slice(start, end), wanted, text, tabWidth),
		}));
}

/** All places where the folded lines agree: the first may begin and the last may end inside a line of the file. */
function* matchesAt(lines: readonly Line[], wanted: readonly string[], tabWidth: number): Generator<Match> {
	const folded = wanted.map((line) => foldLine(line, tabWidth).folded);
	const first = folded[0]!;
	const last = folded.at(-1)!;
	let lineStart = 0;
	for (const [index, line] of lines.entries()) {
		const at = foldLine(line.content, tabWidth);
		if (folded.length === 1) {
			for (const [from, to] of within(at, first))
				yield { start: lineStart + from, end: lineStart + to, tabWidth };
		} else if (at.folded.endsWith(first) && middleAgrees(lines, index, folded, tabWidth)) {
			const from = contentOffset(at, at.folded.length - first.length);
			const lastLine = lines[index + folded.length - 1]!;
			const to = contentOffset(foldLine(lastLine.content, tabWidth), last.length);
			if (from !== undefined && to !== undefined) {
				const between = lines.slice(index, index + folded.length - 1);
				const length = between.reduce((sum, { content, end }) => sum + content.length + end.length, 0);
				yield { start: lineStart + from, end: lineStart + length + to, tabWidth };
			}
		}
		lineStart += line.content.length + line.end.length;
	}
}

function middleAgrees(
	lines: readonly Line[],
	index: number,
	folded: readonly string[],
	tabWidth: number,
): boolean {
	const lastIndex = folded.length - 1;
	for (let next = 1; next <= lastIndex; next++) {
		const line = lines[index + next];
		if (line === undefined) return false;
		const at = foldLine(line.content, tabWidth).folded;
		if (next < lastIndex ? at !== folded[next] : !at.startsWith(folded[next]!)) return false;
	}
	return true;
}

/** The places of one folded line inside a line of the file, as offsets into its content. */
function* within(line: FoldedLine, wanted: string): Generator<readonly [number, number]> {
	for (
		let at = line.folded.indexOf(wanted);
		at !== -1;
		at = line.folded.indexOf(wanted, at + wanted.length)
	) {
		const from = contentOffset(line, at);
		const to = contentOffset(line, at + wanted.length);
		if (from !== undefined && to !== undefined) yield [from, to];
	}
}

/** The new text as this file would have it: its own lines where nothing was asked to change, its kind of indentation. */
function inFileStyle(replaced: string, wanted: string, text: string, tabWidth: number): string {
	const own = splitLines(replaced);
	const old = splitLines(wanted);
	const fresh = splitLines(text);
	const { prefix, suffix } = commonLines(old, fresh);
	const reindent = reindenter(own, old, tabWidth);
	return fresh
		.map(({ content, end }, index) => {
			const fromEnd = fresh.length - 1 - index;
			if (index < prefix) return own[index]!.content + end;
			if (fromEnd < suffix) return own.at(-1 - fromEnd)!.content + end;
			return reindent(content) + end;
		})
		.join("");
}

/** How a new line's indentation is turned from the model's kind into the file's; as it is where they agree. */
function reindenter(
	own: readonly Line[],
	old: readonly Line[],
	tabWidth: number,
): (content: string) => string {
	const usesTabs = (lines: readonly Line[]) =>
		lines.some(({ content }) => indentationOf(content).includes("\t"));
	const [ownTabs, oldTabs] = [usesTabs(own), usesTabs(old)];
	if (ownTabs === oldTabs) return (content) => content;
	return (content) => {
		const indentation = indentationOf(content);
		const width = widthOf(indentation, tabWidth);
		const inTabs = "\t".repeat(Math.floor(width / tabWidth)) + " ".repeat(width % tabWidth);
		return (ownTabs ? inTabs : " ".repeat(width)) + content.slice(indentation.length);
	};
}

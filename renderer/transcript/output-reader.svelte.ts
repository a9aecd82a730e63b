import type { OutputPiece } from "../../agent/protocol/index.ts";
import { wholeNumber } from "../words/amounts.ts";

/** How much is read at once. */
const PIECE = 256 * 1024;
/** A longer line is shown as several, so that one endless line stays readable. */
const LONGEST_LINE = 4000;

export type OutputLine = { readonly key: string; readonly text: string };

/** Reads a call's output from its beginning, piece by piece, as lines of text. */
export function createOutputReader(read: (offset: number, limit: number) => Promise<OutputPiece>) {
	const decoder = new TextDecoder();
	let lines = $state.raw<readonly OutputLine[]>([]);
	let offset = $state(0);
	let total = $state<number | undefined>();
	let isComplete = $state(false);
	let isReading = $state(false);
	let problem = $state("");
	let unfinished = "";
	let count = 0;

	const lineOf = (text: string): OutputLine => ({ key: `l${count++}`, text });

	function take(text: string): void {
		const parts = (unfinished + text).split("\n");
		unfinished = parts.pop() ?? "";
		const fresh = parts.flatMap((part) => foldLine(part.replace(/^[^\n]*\r(?!$)/, "").replace(/\r$/, "")));
		lines = [...lines, ...fresh.map(lineOf)];
	}

	return {
		get lines() {
			return lines;
		},
		/** Bytes so far, of how many there are. */
		get read() {
			return offset;
		},
		get total() {
			return total;
		},
		get isComplete() {
			return isComplete;
		},
		get isReading() {
			return isReading;
		},
		get hasMore() {
			return total === undefined || offset < total || !isComplete;
		},
		/** Why no more could be read. */
		get problem() {
			return problem;
		},
		async more(): Promise<void> {
			if (isReading || (isComplete && total !== undefined && offset >= total)) return;
			isReading = true;
			try {
				const piece = await read(offset, PIECE);
				const bytes = Uint8Array.from(atob(piece.base64), (character) => character.charCodeAt(0));
				if (piece.gap !== undefined && offset >= piece.gap.from && offset < piece.gap.to)
					take(`\n[${wholeNumber(piece.gap.to - piece.gap.from)} bytes were not kept]\n`);
				offset = piece.offset + bytes.length;
				total = piece.total;
				isComplete = piece.complete;
				const isEnd = isComplete && offset >= piece.total;
				take(decoder.decode(bytes, { stream: !isEnd }));
				// The last line may end without a newline.
				if (isEnd && unfinished !== "") take("\n");
				problem = "";
			} catch (error) {
				problem = (error as Error).message;
			} finally {
				isReading = false;
			}
		},
	};
}

function foldLine(line: string): string[] {
	if (line.length <= LONGEST_LINE) return [line];
	return Array.from({ length: Math.ceil(line.length / LONGEST_LINE) }, (_, index) =>
		line.slice(index * LONGEST_LINE, (index + 1) * LONGEST_LINE),
	);
}

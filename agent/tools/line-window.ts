import { cutLine, longestLine } from "./cut-line.ts";

export type LineWindowLimits = {
	/** The first line to keep, from 1. */
	readonly offset: number;
	/** How many lines to keep at most. */
	readonly limit: number;
	/** How many bytes of UTF-8 to keep at most. */
	readonly maxBytes: number;
};

/**
 * Takes a text in pieces and keeps some of its lines, whatever the size of the text or of one line. Line ends are
 * `\n`, `\r\n` and a lone `\r`, as editors count them; a line end at the very end begins no further line.
 */
export class LineWindow {
	readonly #limits: LineWindowLimits;
	/** The kept lines, long ones cut. */
	readonly lines: string[] = [];
	#bytes = 0;
	/** The number of the line being read, from 1, and what is known of it. */
	#number = 1;
	#start = "";
	#length = 0;
	/** The last piece ended with a `\r` that a `\n` may follow. */
	#afterReturn = false;
	/** No further line is kept. */
	full = false;

	constructor(limits: LineWindowLimits) {
		this.#limits = limits;
	}

	/** Lines that have come to their end so far; after `end()`, all there are. */
	get total(): number {
		return this.#number - 1;
	}

	push(piece: string): void {
		let start = 0;
		if (this.#afterReturn && piece !== "") {
			this.#afterReturn = false;
			if (piece[0] === "\n") start = 1;
		}
		const ends = /\r\n|\n|\r/g;
		ends.lastIndex = start;
		for (let match = ends.exec(piece); match !== null; match = ends.exec(piece)) {
			this.#extend(piece, start, match.index);
			this.#endLine();
			start = ends.lastIndex;
			this.#afterReturn = match[0] === "\r" && start === piece.length;
		}
		this.#extend(piece, start, piece.length);
	}

	end(): void {
		if (this.#length > 0) this.#endLine();
	}

	#extend(piece: string, start: number, end: number): void {
		if (this.#isWanted() && this.#start.length <= longestLine)
			this.#start += piece.slice(start, Math.min(end, start + longestLine + 1 - this.#start.length));
		this.#length += end - start;
	}

	#endLine(): void {
		if (this.#isWanted()) this.#keep(cutLine(this.#start, this.#length));
		this.#number += 1;
		this.#start = "";
		this.#length = 0;
	}

	#isWanted(): boolean {
		return !this.full && this.#number >= this.#limits.offset;
	}

	#keep(line: string): void {
		const bytes = Buffer.byteLength(line) + 1;
		if (this.lines.length > 0 && this.#bytes + bytes > this.#limits.maxBytes) {
			this.full = true;
			return;
		}
		this.#bytes += bytes;
		this.lines.push(line);
		this.full = this.lines.length >= this.#limits.limit;
	}
}

import { deleteAt, emptyRow, erase, insertAt, type Row, writeAt } from "./terminal-row.ts";

/** How many of the last rows a program can address as its screen. */
const HEIGHT = 24;
/** No program means a column or row beyond this. */
const FARTHEST = 10_000;
/** Styles are kept as their parameters; more than this many are never in force together. */
const MOST_STYLES = 16;

type Page = { rows: Row[]; row: number; column: number };

/** What a terminal holds: rows, a cursor, a style. */
export class Screen {
	#page: Page = { rows: [emptyRow()], row: 0, column: 0 };
	#main: Page | undefined;
	#saved = { row: 0, column: 0 };
	#style: string[] = [];
	#styleText = "";

	rows(): readonly Row[] {
		return (this.#main ?? this.#page).rows;
	}

	write(text: string): void {
		this.#page.column = writeAt(this.#here(), this.#page.column, text, this.#styleText);
	}

	newline(): void {
		this.moveRow(1);
		this.#page.column = 0;
	}

	toColumn(column: number): void {
		this.#page.column = Math.min(Math.max(0, column), FARTHEST);
	}

	moveColumn(by: number): void {
		// Forwards from a long line it may be far: only what is asked for is bounded.
		this.#page.column = Math.max(0, this.#page.column + by);
	}

	moveRow(by: number): void {
		this.#toRow(this.#page.row + by);
	}

	saveCursor(): void {
		this.#saved = { row: this.#page.row, column: this.#page.column };
	}

	restoreCursor(): void {
		this.#toRow(this.#saved.row);
		this.#page.column = this.#saved.column;
	}

	reset(): void {
		this.#page = { rows: [emptyRow()], row: 0, column: 0 };
		this.#main = undefined;
		this.#setStyle([]);
	}

	/** A control sequence, by its last character and what stands before it. */
	control(final: string, parameters: string): void {
		if (parameters.startsWith("?")) return this.#mode(final, parameters.slice(1));
		const numbers = parameters.split(";").map((part) => Math.min(Number.parseInt(part, 10) || 0, FARTHEST));
		const first = numbers[0] ?? 0;
		const count = Math.max(1, first);
		switch (final) {
			case "A":
				return this.moveRow(-count);
			case "B":
				return this.moveRow(count);
			case "C":
				return this.moveColumn(count);
			case "D":
				return this.moveColumn(-count);
			case "E":
				this.moveRow(count);
				return this.toColumn(0);
			case "F":
				this.moveRow(-count);
				return this.toColumn(0);
			case "G":
			case "`":
				return this.toColumn(count - 1);
			case "d":
				return this.#toRow(this.#top() + count - 1);
			case "H":
			case "f":
				this.#toRow(this.#top() + count - 1);
				return this.toColumn(Math.max(1, numbers[1] ?? 1) - 1);
			case "J":
				return this.#eraseScreen(first);
			case "K":
				return this.#eraseLine(first);
			case "P":
				return deleteAt(this.#here(), this.#page.column, count);
			case "X":
				return erase(this.#here(), this.#page.column, this.#page.column + count);
			case "@":
				return insertAt(this.#here(), this.#page.column, count);
			case "s":
				return this.saveCursor();
			case "u":
				return this.restoreCursor();
			case "m":
				return this.#addStyle(parameters);
		}
	}

	#here(): Row {
		return this.#page.rows[this.#page.row]!;
	}

	#top(): number {
		return Math.max(0, this.#page.rows.length - HEIGHT);
	}

	#toRow(row: number): void {
		const { rows } = this.#page;
		this.#page.row = Math.max(0, Math.min(row, rows.length + FARTHEST));
		while (rows.length <= this.#page.row) rows.push(emptyRow());
	}

	#eraseScreen(what: number): void {
		const { rows, row } = this.#page;
		if (what === 3) {
			const gone = this.#top();
			rows.splice(0, gone);
			this.#page.row = Math.max(0, row - gone);
			return;
		}
		const [from, to] = what === 0 ? [row + 1, rows.length] : what === 1 ? [this.#top(), row] : [this.#top(), rows.length];
		for (let at = from; at < to; at++) rows[at] = emptyRow();
		if (what !== 2) this.#eraseLine(what);
	}

	#eraseLine(what: number): void {
		const { column } = this.#page;
		if (what === 0) erase(this.#here(), column, Number.POSITIVE_INFINITY);
		else if (what === 1) erase(this.#here(), 0, column + 1);
		else erase(this.#here(), 0, Number.POSITIVE_INFINITY);
	}

	/** A second page, as full-screen programs use: nothing of it stays. */
	#mode(final: string, modes: string): void {
		if (!modes.split(";").some((mode) => mode === "1049" || mode === "1047" || mode === "47")) return;
		if (final === "h" && this.#main === undefined) {
			this.#main = this.#page;
			this.#page = { rows: [emptyRow()], row: 0, column: 0 };
		} else if (final === "l" && this.#main !== undefined) {
			this.#page = this.#main;
			this.#main = undefined;
		}
	}

	#addStyle(parameters: string): void {
		// Only what SGR allows may come back out.
		if (!/^[\d;:]*$/.test(parameters)) return;
		const plain = parameters === "" || /^0*$/.test(parameters);
		const reset = /^0*;/.test(parameters);
		this.#setStyle(plain ? [] : [...(reset ? [] : this.#style), parameters].slice(-MOST_STYLES));
	}

	#setStyle(style: string[]): void {
		this.#style = style;
		this.#styleText = style.join(";");
	}
}

import { deleteAt, emptyRow, erase, insertAt, type Row, writeAt } from "./terminal-row.ts";

/** How many of the last rows a program can address as its screen. */
const HEIGHT = 24;
/** The farthest column that is moved to, and the most blanks put in; text itself may be longer. */
const FARTHEST = 500;
/** The longest row that is edited in the middle: what is longer is no line on a screen. */
const LONGEST_EDITED = 5000;
/** Styles are kept as their parameters; more than this many are never in force together. */
const MOST_STYLES = 16;

export type Extent = "after" | "before" | "all";

type Page = { rows: Row[]; row: number; column: number };

/** What a terminal holds: rows, a cursor, a style. It grows by what is written and by newlines, never by moves. */
export class Screen {
	#page: Page = emptyPage();
	/** The page that waits while a full-screen program has its own. */
	#main: Page | undefined;
	#saved = { row: 0, column: 0 };
	#styles: readonly string[] = [];
	#style = "";

	rows(): readonly Row[] {
		return (this.#main ?? this.#page).rows;
	}

	write(text: string): void {
		this.#page.column = writeAt(this.#here(), this.#page.column, text, this.#style);
	}

	newline(): void {
		this.#page.row++;
		if (this.#page.row === this.#page.rows.length) this.#page.rows.push(emptyRow());
		this.#page.column = 0;
	}

	/** Rows of the screen count from 0 at its top. */
	moveTo(row: number, column: number): void {
		this.toRow(row);
		this.toColumn(column);
	}

	toRow(row: number): void {
		this.#goToRow(this.#top() + row);
	}

	toColumn(column: number): void {
		this.#page.column = Math.min(Math.max(0, column), FARTHEST);
	}

	moveBy(rows: number, columns: number): void {
		this.#goToRow(this.#page.row + rows);
		const { column } = this.#page;
		this.#page.column = Math.min(Math.max(0, column + columns), Math.max(column, FARTHEST));
	}

	saveCursor(): void {
		this.#saved = { row: this.#page.row, column: this.#page.column };
	}

	restoreCursor(): void {
		this.#goToRow(this.#saved.row);
		this.#page.column = this.#saved.column;
	}

	reset(): void {
		this.#page = emptyPage();
		this.#main = undefined;
		this.#setStyles([]);
	}

	eraseInLine(extent: Extent): void {
		const { column } = this.#page;
		const from = extent === "after" ? column : 0;
		const to = extent === "before" ? column + 1 : Number.POSITIVE_INFINITY;
		erase(this.#here(), from, to);
	}

	eraseInScreen(extent: Extent): void {
		const { rows, row } = this.#page;
		const from = extent === "after" ? row + 1 : this.#top();
		const to = extent === "before" ? row : rows.length;
		for (let at = from; at < to; at++) rows[at] = emptyRow();
		if (extent !== "all") this.eraseInLine(extent);
	}

	/** What has scrolled off the screen. */
	eraseScrolled(): void {
		const gone = this.#top();
		this.#page.rows.splice(0, gone);
		this.#page.row = Math.max(0, this.#page.row - gone);
	}

	eraseCharacters(count: number): void {
		erase(this.#here(), this.#page.column, this.#page.column + count);
	}

	deleteCharacters(count: number): void {
		const row = this.#here();
		if (row.width <= LONGEST_EDITED) deleteAt(row, this.#page.column, count);
	}

	insertBlanks(count: number): void {
		const row = this.#here();
		if (row.width <= LONGEST_EDITED) insertAt(row, this.#page.column, Math.min(count, FARTHEST));
	}

	/** A page of its own, as full-screen programs use: nothing of it stays. */
	enterSecondPage(): void {
		if (this.#main !== undefined) return;
		this.#main = this.#page;
		this.#page = emptyPage();
	}

	leaveSecondPage(): void {
		if (this.#main === undefined) return;
		this.#page = this.#main;
		this.#main = undefined;
	}

	/** Parameters of an SGR sequence; only what SGR allows may come back out. */
	addStyle(parameters: string): void {
		if (!/^[\d;:]*$/.test(parameters)) return;
		const reset = /^0*(;|$)/.test(parameters);
		const added = parameters.replace(/^(0*;)*0*$|^(0*;)+/, "");
		const styles = reset ? [] : this.#styles;
		this.#setStyles(added === "" ? styles : [...styles, added].slice(-MOST_STYLES));
	}

	#setStyles(styles: readonly string[]): void {
		this.#styles = styles;
		this.#style = styles.join(";");
	}

	#here(): Row {
		return this.#page.rows[this.#page.row]!;
	}

	#top(): number {
		return Math.max(0, this.#page.rows.length - HEIGHT);
	}

	#goToRow(row: number): void {
		const { rows } = this.#page;
		const bottom = this.#top() + HEIGHT - 1;
		this.#page.row = Math.max(0, Math.min(row, bottom));
		while (rows.length <= this.#page.row) rows.push(emptyRow());
	}
}

function emptyPage(): Page {
	return { rows: [emptyRow()], row: 0, column: 0 };
}

/**
 * One line of the screen. As long as it is only appended to it is a list of stretches of one style; once something in
 * it is overwritten it is taken apart into cells.
 */
export type Row = { stretches: Stretch[]; cells?: Cell[]; width: number };
type Stretch = { text: string; readonly style: string };
type Cell = { readonly character: string; readonly style: string };

const BLANK: Cell = { character: " ", style: "" };

export function emptyRow(): Row {
	return { stretches: [], width: 0 };
}

/** Writes at a column, over what is there. Returns the column after it. A character takes one column. */
export function writeAt(row: Row, column: number, text: string, style: string): number {
	if (column === row.width && row.cells === undefined) {
		const last = row.stretches.at(-1);
		if (last?.style === style) last.text += text;
		else row.stretches.push({ text, style });
		row.width += characterCount(text);
		return row.width;
	}
	const cells = cellsOf(row);
	while (cells.length < column) cells.push(BLANK);
	let at = column;
	for (const character of text) cells[at++] = { character, style };
	row.width = cells.length;
	return at;
}

/** Makes blank from `from` up to, not including, `to`; what is blank at the end is gone. */
export function erase(row: Row, from: number, to: number): void {
	const cells = cellsOf(row);
	if (to >= cells.length) cells.length = Math.min(cells.length, from);
	else cells.fill(BLANK, from, to);
	row.width = cells.length;
}

/** Takes out `count` columns; the rest moves left. */
export function deleteAt(row: Row, column: number, count: number): void {
	const cells = cellsOf(row);
	cells.splice(column, count);
	row.width = cells.length;
}

/** Puts in `count` blank columns; the rest moves right. */
export function insertAt(row: Row, column: number, count: number): void {
	const cells = cellsOf(row);
	if (column < cells.length) cells.splice(column, 0, ...new Array<Cell>(count).fill(BLANK));
	row.width = cells.length;
}

/** Its text; with colours, each change of style as an SGR sequence, the last of which ends them. */
export function rowText(row: Row, colours: boolean): string {
	const stretches: readonly { text?: string; character?: string; style: string }[] =
		row.cells ?? row.stretches;
	let text = "";
	let current = "";
	for (const { text: stretch, character, style } of stretches) {
		if (colours && style !== current) {
			text += style === "" ? "\u001b[0m" : `${current === "" ? "" : "\u001b[0m"}\u001b[${style}m`;
			current = style;
		}
		text += stretch ?? character;
	}
	return current === "" ? text : `${text}\u001b[0m`;
}

function cellsOf(row: Row): Cell[] {
	row.cells ??= row.stretches.flatMap(({ text, style }) =>
		Array.from(text, (character) => ({ character, style })),
	);
	return row.cells;
}

function characterCount(text: string): number {
	let count = 0;
	for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) !== 0xdc00) count++;
	return count;
}

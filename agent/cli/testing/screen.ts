// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's commands begin with one.
const COMMAND = /^\u001b\[([?\d;]*)([A-Za-z])/;

/**
 * What a terminal of so many columns shows after it was sent some output: just enough of one for what a line editor
 * sends. Rows grow downwards without end, as they do with what has scrolled away.
 */
export function createScreen(columns: number) {
	const rows: string[][] = [[]];
	let row = 0;
	let column = 0;
	/** The last column was written, and the next character goes to the next row. */
	let isPastEdge = false;
	let rest = "";

	function goTo(nextRow: number, nextColumn: number): void {
		row = Math.max(0, nextRow);
		while (rows.length <= row) rows.push([]);
		column = Math.min(Math.max(0, nextColumn), columns - 1);
		isPastEdge = false;
	}

	function put(character: string): void {
		if (isPastEdge) goTo(row + 1, 0);
		rows[row]![column] = character;
		if (column === columns - 1) isPastEdge = true;
		else column++;
	}

	function control(parameters: string, letter: string): void {
		const count = Number.parseInt(parameters, 10) || 1;
		if (letter === "A") goTo(row - count, column);
		else if (letter === "B") goTo(row + count, column);
		else if (letter === "C") goTo(row, column + count);
		else if (letter === "D") goTo(row, column - count);
		else if (letter === "G") goTo(row, count - 1);
		else if (letter === "K") rows[row]!.length = Math.min(rows[row]!.length, column);
		else if (letter === "J") {
			rows[row]!.length = Math.min(rows[row]!.length, column);
			rows.length = row + 1;
		} else if (letter !== "m" && letter !== "h" && letter !== "l")
			throw new Error(`This terminal doesn't know CSI ${parameters}${letter}.`);
	}

	return {
		write(text: string): void {
			rest += text;
			for (;;) {
				const match = COMMAND.exec(rest) ?? (rest.startsWith("\u001b") ? null : /^[\s\S]/u.exec(rest));
				if (match === null) return;
				rest = rest.slice(match[0].length);
				if (match[2] !== undefined) control(match[1]!, match[2]);
				else if (match[0] === "\n") goTo(row + 1, column);
				else if (match[0] === "\r") goTo(row, 0);
				else put(match[0]);
			}
		},
		/** Its rows, without what is empty at their ends. */
		rows: (): string[] =>
			rows.map((cells) =>
				Array.from(cells, (cell) => cell ?? " ")
					.join("")
					.trimEnd(),
			),
		cursor: () => ({ row, column }),
	};
}

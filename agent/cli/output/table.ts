import { columns, fitColumns } from "./columns.ts";

/**
 * Rows as aligned columns, two spaces apart. On a terminal a row that is too long is cut at its edge; in a pipe nothing
 * is cut.
 *
 * @param width the terminal's columns; undefined for no limit
 */
export function table(rows: readonly (readonly string[])[], width: number | undefined): string {
	const widths: number[] = [];
	for (const row of rows)
		for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, columns(cell));
	return rows
		.map((row) => {
			const line = row
				.map((cell, at) => (at === row.length - 1 ? cell : pad(cell, widths[at] ?? 0)))
				.join("  ");
			return width === undefined ? line : fitColumns(line, width);
		})
		.join("\n");
}

function pad(cell: string, width: number): string {
	return cell + " ".repeat(width - columns(cell));
}

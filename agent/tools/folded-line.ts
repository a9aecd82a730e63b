/** The widths of a tab that models and editors use. */
export const tabWidths = [4, 2, 8, 3] as const;

/**
 * A line as the tolerant pass compares it: white space at its end gone, the indentation as spaces, typographic quotes
 * and no-break spaces plain. Folding keeps one character for one after the indentation, so that offsets can be found
 * back.
 */
export type FoldedLine = {
	readonly folded: string;
	readonly content: string;
	readonly tabWidth: number;
};

const plainCharacters: Readonly<Record<string, string>> = {
	"\u2018": "'",
	"\u2019": "'",
	"\u201c": '"',
	"\u201d": '"',
	"\u00a0": " ",
	"\u202f": " ",
};

export function foldLine(content: string, tabWidth: number): FoldedLine {
	const trimmed = content.trimEnd();
	const indentation = indentationOf(trimmed);
	const rest = trimmed
		.slice(indentation.length)
		.replace(/[\u2018\u2019\u201c\u201d\u00a0\u202f]/g, (character) => plainCharacters[character]!);
	return { folded: " ".repeat(widthOf(indentation, tabWidth)) + rest, content, tabWidth };
}

/** The offset in the line's content of an offset in its folded form; undefined inside a tab. */
export function contentOffset({ content, tabWidth }: FoldedLine, foldedOffset: number): number | undefined {
	const indentation = indentationOf(content.trimEnd());
	const width = widthOf(indentation, tabWidth);
	if (foldedOffset >= width) return indentation.length + foldedOffset - width;
	for (let at = 0; at <= indentation.length; at++)
		if (widthOf(indentation.slice(0, at), tabWidth) === foldedOffset) return at;
	return undefined;
}

export function indentationOf(content: string): string {
	return /^[ \t]*/.exec(content)![0];
}

/** Columns that an indentation takes, tabs going on to the next multiple of their width. */
export function widthOf(indentation: string, tabWidth: number): number {
	let width = 0;
	for (const character of indentation)
		width = character === "\t" ? (Math.floor(width / tabWidth) + 1) * tabWidth : width + 1;
	return width;
}

/** What `grep` looks for, whichever program does the looking. */
export type SearchQuery = {
	/** Canonical path of a file, or of a folder with all below it. */
	readonly root: string;
	/** A regular expression for single lines. */
	readonly pattern: string;
	readonly ignoreCase: boolean;
	/** Only files that this glob names (`compileNamePattern`). */
	readonly glob: string | undefined;
	/** Lines to show before and after each match. */
	readonly context: number;
	/** Most matching lines to find. */
	readonly limit: number;
};

export type FoundLine = {
	/** Absolute. */
	readonly path: string;
	readonly number: number;
	readonly text: string;
	/** False for a line around a match. */
	readonly isMatch: boolean;
};

export type SearchResult = {
	/** Sorted by path and line. */
	readonly lines: readonly FoundLine[];
	/** There are matches beyond `limit`. */
	readonly more: boolean;
	/** Files that could hold matches and were too large to be looked into. */
	readonly tooLarge: number;
};

/** The lines up to the last match within the limit and those around it; `lines` may hold one match more. */
export function withinLimit(
	lines: readonly FoundLine[],
	{ limit, context }: SearchQuery,
): { readonly lines: readonly FoundLine[]; readonly more: boolean } {
	const matches = lines.flatMap(({ isMatch }, index) => (isMatch ? [index] : []));
	const next = matches[limit];
	if (next === undefined) return { lines, more: false };
	const last = matches[limit - 1]!;
	const { path, number } = lines[last]!;
	const isAround = (line: FoundLine) => line.path === path && line.number <= number + context;
	return { lines: lines.slice(0, next).filter((line, index) => index <= last || isAround(line)), more: true };
}

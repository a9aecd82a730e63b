/** The longest line that is shown whole, in characters. */
export const longestLine = 2000;

/** A line as it is shown: one that is too long keeps its beginning and says how much is missing. */
export function cutLine(line: string, length = line.length, most = longestLine): string {
	if (length <= most) return line;
	// Never between the halves of a surrogate pair.
	const end = /[\ud800-\udbff]/.test(line[most - 1] ?? "") ? most - 1 : most;
	return `${line.slice(0, end)} [line cut: ${(length - end).toLocaleString("en-US")} more characters]`;
}

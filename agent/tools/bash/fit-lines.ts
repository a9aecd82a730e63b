/** The first lines that fit into `limit` characters; of a first line that is too long, as much as fits. */
export function firstLines(lines: readonly string[], limit: number): string {
	const fitting = lines.slice(0, howManyFit(lines, limit));
	if (fitting.length > 0 || lines.length === 0) return fitting.join("\n");
	const line = withoutColours(lines[0]!);
	// Never half a surrogate pair.
	const end = /[\ud800-\udbff]/.test(line[limit - 1] ?? "") ? limit - 1 : limit;
	return line.slice(0, end);
}

/** The last lines that fit into `limit` characters; of a last line that is too long, as much of its end as fits. */
export function lastLines(lines: readonly string[], limit: number): string {
	const count = howManyFit(lines.toReversed(), limit);
	if (count > 0 || lines.length === 0) return lines.slice(lines.length - count).join("\n");
	const line = withoutColours(lines.at(-1)!);
	const begin = Math.max(0, line.length - limit);
	return line.slice(/[\udc00-\udfff]/.test(line[begin] ?? "") ? begin + 1 : begin);
}

function howManyFit(lines: readonly string[], limit: number): number {
	let length = -1;
	const beyond = lines.findIndex((line) => {
		length += line.length + 1;
		return length > limit;
	});
	return beyond < 0 ? lines.length : beyond;
}

/** A line that is cut loses its colours: the cut could fall into one, or leave one without its end. */
function withoutColours(line: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a colour
	return line.replace(/\u001b\[[\d;:]*m/g, "");
}

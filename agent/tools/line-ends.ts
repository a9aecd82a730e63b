/** A line and what ends it: `\n`, `\r\n`, `\r`, or nothing at the end of a text. */
export type Line = { readonly content: string; readonly end: string };

/** All lines of a text. A text that ends with a line end has an empty last line, so that joining gives it back. */
export function splitLines(text: string): Line[] {
	const lines: Line[] = [];
	let start = 0;
	for (const match of text.matchAll(/\r\n|\n|\r/g)) {
		lines.push({ content: text.slice(start, match.index), end: match[0] });
		start = match.index + match[0].length;
	}
	lines.push({ content: text.slice(start), end: "" });
	return lines;
}

export function joinLines(lines: readonly Line[]): string {
	return lines.map(({ content, end }) => content + end).join("");
}

/** Every line end as `\n`, which is what a model sees and writes. */
export function withPlainLineEnds(text: string): string {
	return text.includes("\r") ? text.replace(/\r\n|\r/g, "\n") : text;
}

/**
 * `text` with the line ends of what it replaces: lines that stay at the beginning or end keep their own, the ones in
 * between take those of the lines they stand for. Only a bare `\n` is changed; a `\r` that `text` brings is meant.
 * `surrounding` is used where the replaced text has no line end.
 */
export function withLineEndsOf(replaced: string, text: string, surrounding: string): string {
	if (!text.includes("\n") || text.includes("\r")) return text;
	if (surrounding === "\n" && !replaced.includes("\r")) return text;
	const before = splitLines(replaced);
	const after = splitLines(text);
	const { prefix, suffix } = commonLines(before, after);
	const counterpart = (index: number): number => {
		if (index < prefix) return index;
		if (index >= after.length - suffix) return index - after.length + before.length;
		return Math.max(0, prefix - 1, Math.min(index, before.length - suffix - 1));
	};
	const endFor = (index: number): string => {
		for (let at = counterpart(index); at >= 0; at--) if (before[at]!.end !== "") return before[at]!.end;
		return surrounding;
	};
	return joinLines(
		after.map(({ content, end }, index) => ({ content, end: end === "" ? "" : endFor(index) })),
	);
}

/** How many lines two texts have in common at their beginning and, of the rest, at their end. */
export function commonLines(
	before: readonly Line[],
	after: readonly Line[],
): { readonly prefix: number; readonly suffix: number } {
	const most = Math.min(before.length, after.length);
	let prefix = 0;
	while (prefix < most && before[prefix]!.content === after[prefix]!.content) prefix++;
	let suffix = 0;
	while (suffix < most - prefix && before.at(-1 - suffix)!.content === after.at(-1 - suffix)!.content)
		suffix++;
	return { prefix, suffix };
}

/** The line end at or after `offset`, else the last one before it, else `\n`. */
export function lineEndAt(text: string, offset: number): string {
	const isEnd = (at: number) => text[at] === "\n" || text[at] === "\r";
	for (let at = offset; at < text.length; at++)
		if (isEnd(at)) return text[at] === "\r" && text[at + 1] === "\n" ? "\r\n" : text[at]!;
	for (let at = offset - 1; at >= 0; at--)
		if (isEnd(at)) return text[at] === "\n" && text[at - 1] === "\r" ? "\r\n" : text[at]!;
	return "\n";
}

/** A third for the beginning, the rest for the end, where a failure usually says what it is. */
const HEAD_SHARE = 1 / 3;

export type Fitted = {
	readonly head: string;
	readonly tail: string;
	/** The text between them. */
	readonly leftOut: string;
};

/** The first and the last lines that fit into `limit` characters; undefined when all of them do. */
export function fitLines(lines: readonly string[], limit: number): Fitted | undefined {
	const length = lines.reduce((sum, line) => sum + line.length + 1, -1);
	if (length <= limit) return undefined;
	const head = firstLines(lines, Math.floor(limit * HEAD_SHARE));
	const tail = lastLines(lines, limit - head.text.length);
	const between = lines.slice(head.whole, lines.length - tail.whole).join("\n");
	const leftOut = between.slice(head.part, between.length - tail.part);
	return { head: head.text, tail: tail.text, leftOut };
}

/** Whole lines that fit; when not even one does, as much of it as fits. `part`: how much of a line that isn't whole. */
type Side = { readonly text: string; readonly whole: number; readonly part: number };

export function firstLines(lines: readonly string[], limit: number): Side {
	let length = -1;
	let whole = 0;
	while (whole < lines.length && length + lines[whole]!.length + 1 <= limit) length += lines[whole++]!.length + 1;
	if (whole > 0 || lines.length === 0) return { text: lines.slice(0, whole).join("\n"), whole, part: 0 };
	const text = beginningOf(plain(lines[0]!), limit);
	return { text, whole: 0, part: text.length };
}

export function lastLines(lines: readonly string[], limit: number): Side {
	let length = -1;
	let whole = 0;
	const at = (back: number) => lines[lines.length - 1 - back]!;
	while (whole < lines.length && length + at(whole).length + 1 <= limit) length += at(whole++).length + 1;
	// A last newline alone is not an end worth having.
	const only = whole === 1 && at(0) === "" && lines.length > 1;
	if ((whole > 0 && !only) || lines.length === 0)
		return { text: lines.slice(lines.length - whole).join("\n"), whole, part: 0 };
	const text = endOf(plain(at(whole)), limit);
	return { text, whole, part: text.length + whole };
}

/** A line that is cut loses its colours: a cut could fall into one. */
function plain(line: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a colour
	return line.replace(/\u001b\[[\d;:]*m/g, "");
}

/** Never half a surrogate pair. */
function beginningOf(text: string, length: number): string {
	const end = /[\ud800-\udbff]/.test(text[length - 1] ?? "") ? length - 1 : length;
	return text.slice(0, end);
}

function endOf(text: string, length: number): string {
	const begin = Math.max(0, text.length - length);
	return text.slice(/[\udc00-\udfff]/.test(text[begin] ?? "") ? begin + 1 : begin);
}

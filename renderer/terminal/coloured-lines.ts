import { type AnsiRun, parseAnsi } from "./ansi.ts";

/** How far back from where the last line was found the next one is looked for. */
const LOOK_BACK = 200;

/**
 * A text in the colours that its lines have in a command's raw output. The text stays as it is, word for word: a line
 * that isn't found, such as a remark that was never output, has no colour.
 *
 * @param text ends where the output does, but for some lines of its own
 * @param raw the output's bytes as text, with its escape sequences; it may begin in the middle of a line
 */
export function colouredLines(text: string, raw: string): readonly AnsiRun[] {
	const found = linesOf(raw);
	const plain = found.map((runs) =>
		runs
			.map((run) => run.text)
			.join("")
			.trimEnd(),
	);
	const lines: (readonly AnsiRun[])[] = [];
	let end = plain.length;
	for (const line of text.split("\n").reverse()) {
		const at = lastIndexIn(plain, line.trimEnd(), Math.max(0, end - LOOK_BACK), end);
		lines.push(at === -1 || line === "" ? [{ text: line, style: {} }] : found[at]!);
		if (at !== -1) end = at;
	}
	return joined(lines.reverse());
}

function lastIndexIn(lines: readonly string[], wanted: string, from: number, to: number): number {
	for (let index = to - 1; index >= from; index--) if (lines[index] === wanted) return index;
	return -1;
}

/** Each line with what a carriage return has written over taken away, in the style that the one before it left. */
function linesOf(raw: string): (readonly AnsiRun[])[] {
	const text = raw
		.split("\n")
		.map((line) => line.replace(/\r+$/, "").replace(/^[^\n]*\r/, ""))
		.join("\n");
	const lines: AnsiRun[][] = [[]];
	for (const { text: words, style } of parseAnsi(text))
		for (const [index, part] of words.split("\n").entries()) {
			if (index > 0) lines.push([]);
			if (part !== "") lines.at(-1)!.push({ text: part, style });
		}
	return lines;
}

function joined(lines: readonly (readonly AnsiRun[])[]): readonly AnsiRun[] {
	return lines.flatMap((runs, index) => (index === 0 ? runs : [{ text: "\n", style: {} }, ...runs]));
}

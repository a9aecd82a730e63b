import { oneLine } from "../sessions/words.ts";

const MOST = 140;

/** The first sentence of an answer in Markdown, on one line, without its marks. */
export function firstSentence(text: string): string {
	const line = text
		.split("\n")
		.filter((each) => !/^\s*(```|~~~|---|===)/.test(each))
		.map(plain)
		.find((each) => each !== "");
	if (line === undefined) return "";
	const end = /[.?!…](?=\s|$)|[。！？]/u.exec(line);
	return oneLine(end === null ? line : line.slice(0, end.index + 1), MOST);
}

/** A line without the marks of headings, lists, quotes, emphasis, code and links. */
function plain(line: string): string {
	return line
		.replace(/^\s*(#{1,6}\s+|>\s?|[-*+]\s+|\d+[.)]\s+)*/, "")
		.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
		.replace(/(\*\*|__|`)/g, "")
		.trim();
}

import { withPlainLineEnds } from "./line-ends.ts";

export type Place = { readonly start: number; readonly end: number };

/**
 * Every place where `wanted` is in `text`, not overlapping, as offsets into `text`. A `\n` in `wanted` stands for any
 * line end, since a model sees and writes only that; a `\r` in it must be there as it is.
 */
export function findExact(text: string, wanted: string): Place[] {
	if (!text.includes("\r")) return occurrences(text, withPlainLineEnds(wanted));
	const literal = wanted.includes("\r") ? occurrences(text, wanted) : [];
	if (literal.length > 0) return literal;
	const plain = withPlainLineEnds(wanted);
	return inOriginal(text, occurrences(withPlainLineEnds(text), plain));
}

function occurrences(text: string, wanted: string): Place[] {
	const places: Place[] = [];
	if (wanted === "") return places;
	for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
		places.push({ start: at, end: at + wanted.length });
	return places;
}

/** Places in a text with plain line ends, as places in the text it was made from: each `\r\n` before one adds a character. */
function inOriginal(text: string, places: readonly Place[]): Place[] {
	let original = 0;
	let plain = 0;
	const advance = (to: number): number => {
		for (; plain < to; plain++) original += text[original] === "\r" && text[original + 1] === "\n" ? 2 : 1;
		return original;
	};
	return places.map(({ start, end }) => ({ start: advance(start), end: advance(end) }));
}

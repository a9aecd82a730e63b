import type { Snippet } from "../types/search.ts";
import type { SearchTerms } from "./query.ts";
import { fold } from "./text.ts";

/** UTF-16 units before the first hit, and of the whole piece. */
const BEFORE = 60;
const LENGTH = 240;

/**
 * The piece of a text around the first place of its longest word, in one line: every run of white space becomes one
 * space, and `…` stands where something was left out.
 */
export function snippetOf(text: string, terms: SearchTerms): Snippet {
	const folded = fold(text);
	const longest = terms.reduce((a, b) => (b.length > a.length ? b : a), "");
	const hit = Math.max(0, folded.indexOf(longest));
	const start = boundary(text, Math.max(0, hit - BEFORE));
	const end = boundary(text, Math.min(text.length, Math.max(start + LENGTH, hit + longest.length)));
	const line = oneLine(text, start, end);
	const highlights = joined(places(folded, terms, start, end)).map(
		([from, to]) => [line.at(from), line.at(to)] as const,
	);
	return { text: line.text, highlights };
}

/** Never between the two halves of a character. */
function boundary(text: string, at: number): number {
	const isInside = at > 0 && at < text.length && /^[\uDC00-\uDFFF]/.test(text.slice(at, at + 1));
	return isInside ? at - 1 : at;
}

/** Where the words are, as `[start, end)` in the text. */
function places(folded: string, terms: SearchTerms, start: number, end: number): [number, number][] {
	const found: [number, number][] = [];
	for (const term of terms)
		for (let at = folded.indexOf(term, start); at >= 0; at = folded.indexOf(term, at + term.length)) {
			if (at + term.length > end) break;
			found.push([at, at + term.length]);
		}
	return found;
}

/** Stretches in order, those that touch or overlap made one. */
function joined(stretches: readonly [number, number][]): [number, number][] {
	const all: [number, number][] = [];
	for (const [from, to] of stretches.toSorted((a, b) => a[0] - b[0])) {
		const last = all.at(-1);
		if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
		else all.push([from, to]);
	}
	return all;
}

/** A piece in one line; `at` tells where a place of the text has come to in it. */
function oneLine(text: string, start: number, end: number): { text: string; at(place: number): number } {
	const moved: number[] = [];
	let line = start > 0 ? "…" : "";
	for (let i = start; i < end; i++) {
		moved.push(line.length);
		const unit = text[i]!;
		if (!/\s/.test(unit)) line += unit;
		else if (!line.endsWith(" ")) line += " ";
	}
	moved.push(line.length);
	return { text: end < text.length ? `${line}…` : line, at: (place) => moved[place - start]! };
}

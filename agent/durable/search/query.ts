import { fold } from "./text.ts";

/** How many trigrams of one word the index is asked for. Each only narrows; the text itself decides. */
const MAX_TRIGRAMS = 16;

/** How many entries a page of a search is looked for in when the index can't help, the newest first. */
export const MAX_UNINDEXED = 5_000;

/** Words to look for, folded, each once. */
export type SearchTerms = readonly string[];

/**
 * Reads what a person typed: words between white space, in which no character has a meaning of its own. A text of
 * white space alone has no words and finds nothing.
 */
export function searchTerms(text: string): SearchTerms {
	return [...new Set(fold(text).split(/\s+/u))].filter((term) => term !== "");
}

/** Whether a folded text holds every word, as a part of a word too. */
export function holdsEvery(folded: string, terms: SearchTerms): boolean {
	return terms.every((term) => folded.includes(term));
}

/**
 * Stretches of three characters (code points) that every text with these words holds; none when all words are shorter.
 * Of a long word as many as are needed to find little else, spread over all of it.
 */
export function trigramsOf(terms: SearchTerms): string[] {
	const trigrams = new Set<string>();
	for (const term of terms) {
		const characters = [...term];
		const last = characters.length - 3;
		const count = Math.min(last + 1, MAX_TRIGRAMS);
		for (let i = 0; i < count; i++) {
			const at = count === 1 ? 0 : Math.round((i * last) / (count - 1));
			trigrams.add(characters.slice(at, at + 3).join(""));
		}
	}
	return [...trigrams].slice(0, 4 * MAX_TRIGRAMS);
}

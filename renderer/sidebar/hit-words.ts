import type { SearchHit } from "../../agent/protocol/index.ts";
import type { Route } from "../state/route.svelte.ts";

/** Whose words they are. */
export const WHO: Readonly<Record<SearchHit["role"], string>> = {
	user: "you",
	assistant: "answer",
	toolResult: "tool",
	system: "note",
};

const MOST_WORDS = 5;

/** Where a hit leads: its entry, and the words that were found in it, as they stand there. */
export function hitRoute({ session, entry, snippet }: SearchHit): Extract<Route, { kind: "session" }> {
	const words = snippet.highlights.map(([start, end]) => snippet.text.slice(start, end).trim().toLowerCase());
	return {
		kind: "session",
		session,
		at: { entry, words: [...new Set(words)].filter((word) => word !== "").slice(0, MOST_WORDS) },
	};
}

import type { SearchHit } from "../../agent/protocol/index.ts";

/** A stretch of a snippet, found or around what was found. */
export type SnippetPart = { readonly text: string; readonly isHit: boolean };

/** The snippet in the order it is read. A stretch outside of the text, or inside another one, is left out. */
export function snippetParts({ text, highlights }: SearchHit["snippet"]): readonly SnippetPart[] {
	const parts: SnippetPart[] = [];
	let at = 0;
	for (const [start, end] of [...highlights].sort(([one], [other]) => one - other)) {
		if (start < at || end > text.length || end <= start) continue;
		parts.push({ text: text.slice(at, start), isHit: false }, { text: text.slice(start, end), isHit: true });
		at = end;
	}
	parts.push({ text: text.slice(at), isHit: false });
	return parts.filter((part) => part.text !== "");
}

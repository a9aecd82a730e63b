/** A file name that is being typed after an `@`. */
export type Mention = {
	/** Where the `@` is. */
	readonly start: number;
	readonly end: number;
	readonly query: string;
};

const LONGEST = 200;

/** The mention that ends at the caret, if one does: `@` at the start of a word, and nothing but a path since. */
export function mentionAt(text: string, caret: number): Mention | undefined {
	const before = text.slice(Math.max(0, caret - LONGEST), caret);
	const found = /(?:^|[\s([{"'`])@([^\s@"'`]*)$/.exec(before);
	if (found === null) return undefined;
	const query = found[1] ?? "";
	return { start: caret - query.length - 1, end: caret, query };
}

/** The text with the mention completed, and where the caret goes: behind a file, inside a folder. */
export function complete(
	text: string,
	{ start, end }: Mention,
	match: { readonly path: string; readonly kind: "file" | "folder" },
): { readonly text: string; readonly caret: number } {
	const path = match.kind === "folder" && !match.path.endsWith("/") ? `${match.path}/` : match.path;
	const quoted = /\s/.test(path) ? `"${path}"` : path;
	const inserted = `@${quoted}${match.kind === "folder" ? "" : " "}`;
	const rest = text.slice(end);
	const gap = inserted.endsWith(" ") && rest.startsWith(" ") ? rest.slice(1) : rest;
	return { text: text.slice(0, start) + inserted + gap, caret: start + inserted.length };
}

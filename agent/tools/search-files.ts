import { posix } from "node:path";
import type { Context } from "@earendil-works/chord";
import { FileError } from "../durable/env/file-error.ts";
import type { FileSystem } from "../durable/env/file-system.ts";
import { splitLines } from "./line-ends.ts";
import { createLineMatcher, type LineMatcher } from "./line-matcher.ts";
import { mapAhead } from "./map-ahead.ts";
import { compileNamePattern } from "./name-pattern.ts";
import { type FoundLine, type SearchQuery, type SearchResult, withinLimit } from "./search-query.ts";
import { decodeText, readable } from "./text-encoding.ts";
import { walk } from "./walk.ts";

/** Read while one is searched: most of the time goes into waiting for the disk. */
const filesAhead = 8;

const maxFileBytes = 4 * 1024 * 1024;

/** Searches files through the file system itself, for places without ripgrep. Binary files are passed over. */
export async function searchFiles(
	fs: FileSystem,
	query: SearchQuery,
	context: Context,
): Promise<SearchResult> {
	const matcher = createLineMatcher(query.pattern, query.ignoreCase);
	const lines: FoundLine[] = [];
	let matches = 0;
	let tooLarge = 0;
	const contents = mapAhead(filesOf(fs, query, context), filesAhead, (path) => contentOf(fs, path, context));
	for await (const [path, content] of contents) {
		if (content === "too large") tooLarge += 1;
		if (content === undefined || content === "too large") continue;
		const found = matchingLines(path, content, matcher, query.limit - matches + 1, query.context);
		lines.push(...found);
		matches += found.filter(({ isMatch }) => isMatch).length;
		if (matches > query.limit) break;
	}
	return { ...withinLimit(lines, query), tooLarge };
}

async function* filesOf(fs: FileSystem, query: SearchQuery, context: Context): AsyncGenerator<string> {
	const stat = await fs.stat(query.root, context);
	if (stat?.kind === "file") {
		yield query.root;
		return;
	}
	const matches = query.glob === undefined ? () => true : compileNamePattern(query.glob, query.root);
	for await (const { path, kind } of walk(fs, query.root, context))
		if (kind === "file" && matches(path)) yield posix.join(query.root, path);
}

async function contentOf(
	fs: FileSystem,
	path: string,
	context: Context,
): Promise<string[] | "too large" | undefined> {
	try {
		const decoded = decodeText(await fs.readFile(path, { maxBytes: maxFileBytes }, context));
		if (decoded === undefined) return undefined;
		return splitLines(readable(decoded.text, decoded.encoding)).map(({ content }) => content);
	} catch (error) {
		// Gone, protected or not ours to read: the others are still worth searching.
		if (error instanceof FileError) return error.code === "too_large" ? "too large" : undefined;
		throw error;
	}
}

/** The matching lines of one file with those around them, each once. */
function matchingLines(
	path: string,
	content: readonly string[],
	matcher: LineMatcher,
	most: number,
	around: number,
): FoundLine[] {
	const indexes = matcher(content, most);
	const isMatch = new Set(indexes);
	const shown = new Set<number>();
	for (const index of indexes)
		for (let at = Math.max(0, index - around); at <= Math.min(content.length - 1, index + around); at++)
			shown.add(at);
	return [...shown]
		.sort((a, b) => a - b)
		.map((index) => ({ path, number: index + 1, text: content[index]!, isMatch: isMatch.has(index) }));
}

import type { Context } from "@earendil-works/chord";
import type { Harness } from "../durable/index.ts";
import type { SearchHit, SearchResult } from "../protocol/index.ts";
import { conversationsOf } from "../sessions/history.ts";
import type { SessionSnapshot } from "../sessions/service.ts";
import { PART_OF_MANY, wireEntry } from "./views/wire-entry.ts";

export type SearchQuery = {
	readonly query: string;
	/** In ms since the epoch, inclusive. */
	readonly since?: number | undefined;
	readonly limit: number;
};

/**
 * The newest entries of these sessions and of the subagents below them that hold every word of the query. Rejects when
 * the context is cancelled.
 */
export async function searchSessions(
	harness: Harness,
	sessions: readonly SessionSnapshot[],
	{ query, since, limit }: SearchQuery,
	context: Context,
): Promise<SearchResult> {
	const within = await conversationsOf(harness, sessions, context);
	const conversationId = [...within.keys()];
	const options = { conversationId, limit, ...(since === undefined ? {} : { since }) };
	const { items, next } = await harness.search(query, options, context);
	const hits = items.map(({ entry, snippet }): SearchHit => {
		const { title, directory } = within.get(entry.conversationId)!.record;
		return {
			session: String(entry.conversationId),
			title,
			project: directory,
			entry: String(entry.id),
			role: wireEntry(entry, PART_OF_MANY).role,
			at: entry.at,
			snippet: {
				text: snippet.text,
				highlights: snippet.highlights.map(([start, end]) => [start, end]),
			},
		};
	});
	return { hits, hasMore: next !== undefined };
}

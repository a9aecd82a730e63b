import type { Context } from "@earendil-works/chord";
import { searchTerms } from "../search/query.ts";
import { snippetOf } from "../search/snippet.ts";
import { searchableText } from "../search/text.ts";
import type { SearchHit, SearchOptions } from "../types/search.ts";
import type { Cursor, Page, Storage } from "../types/storage.ts";

/** One page of the entries that hold every word of the query, newest first, each with the piece around a hit. */
export async function search(
	storage: Storage,
	query: string,
	{ conversationId, since, until, limit, cursor }: SearchOptions,
	context: Context,
): Promise<Page<SearchHit, Cursor>> {
	const asked = {
		text: query,
		...(conversationId === undefined ? {} : { conversationIds: [conversationId].flat() }),
		...(since === undefined ? {} : { since }),
		...(until === undefined ? {} : { until }),
	};
	const page = await storage.searchEntries(asked, limit, cursor, context);
	const terms = searchTerms(query);
	return {
		...page,
		items: page.items.map((entry) => ({ entry, snippet: snippetOf(searchableText(entry), terms) })),
	};
}

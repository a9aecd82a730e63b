import type { WireEntry } from "../../protocol/index.ts";
import type { Link } from "../reach/link.ts";
import { fetchEntry, wholeEntry } from "./whole-entry.ts";

const PAGE = 200;

/** What a view alone doesn't hold, from the agent. */
export function entrySource(link: Link, session: string) {
	return {
		after: (entry: string) => collect(link, session, { after: entry }),
		whole: (entry: WireEntry) => wholeEntry(link, session, entry),
		text: async (id: string) => (await fetchEntry(link, session, id)).text,
	};
}

/** All entries before one, or after one, oldest first. */
export async function collect(
	link: Link,
	session: string,
	where: { readonly before: string } | { readonly after: string },
): Promise<WireEntry[]> {
	let place = where;
	let found: WireEntry[] = [];
	for (;;) {
		const page = await link.ask("session.entries", { session, limit: PAGE, ...place });
		const { entries } = page;
		if ("before" in place) found = [...entries, ...found];
		else found.push(...entries);
		const more = "before" in place ? page.hasOlder : page.hasNewer;
		const edge = "before" in place ? entries[0] : entries.at(-1);
		if (!more || edge === undefined) return found;
		place = "before" in place ? { before: edge.id } : { after: edge.id };
	}
}

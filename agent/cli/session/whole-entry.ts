import type { WireEntry } from "../../protocol/index.ts";
import type { Link } from "../reach/link.ts";

/** An entry with all of its text and arguments; in a view long ones are only beginnings. */
export async function wholeEntry(link: Link, session: string, entry: WireEntry): Promise<WireEntry> {
	return isWhole(entry) ? entry : fetchEntry(link, session, entry.id);
}

/** One entry by its id, whole. */
export async function fetchEntry(link: Link, session: string, id: string): Promise<WireEntry> {
	const { entries } = await link.ask("session.entries", { session, around: id, limit: 1 });
	const found = entries.find((entry) => entry.id === id);
	if (found === undefined) throw new Error(`The agent has no entry ${id} although it named it.`);
	return found;
}

function isWhole(entry: WireEntry): boolean {
	if (entry.cut !== undefined) return false;
	return entry.role !== "assistant" || !entry.toolCalls?.some(({ cut }) => cut !== undefined);
}

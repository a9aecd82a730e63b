import type { SessionView } from "../../protocol/index.ts";
import type { Output } from "../output/output.ts";
import type { Link } from "../reach/link.ts";

/**
 * Tells the agent up to where a person has read, so that the session is no longer unread in the window either. What
 * goes into a pipe or to a script was read by nobody.
 */
export function createReadMark(link: Link, session: string, output: Output) {
	const isRead = output.stdout.isTTY === true && !output.json;
	let marked: string | undefined;
	return {
		/** The whole view has been printed. Never rejects. */
		async read({ entries }: SessionView): Promise<void> {
			const newest = entries.at(-1)?.id;
			if (!isRead || newest === undefined || newest === marked || link.client.state.kind !== "connected")
				return;
			marked = newest;
			try {
				await link.client.request("session.seen", { session, entry: newest });
			} catch {
				// The mark is a courtesy: lost with its connection, the next view brings it again.
				marked = undefined;
			}
		},
	};
}

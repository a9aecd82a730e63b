import type { SessionSummary } from "../../protocol/index.ts";
import type { Link } from "../reach/link.ts";

const PAGE = 200;

/** Every session, newest activity first, page by page; archived ones too if wanted. */
export async function* eachSession(
	link: Link,
	{ archived }: { readonly archived: boolean },
): AsyncGenerator<SessionSummary> {
	let cursor: string | null = null;
	do {
		const page: { sessions: SessionSummary[]; cursor: string | null } = await link.ask("sessions.list", {
			archived,
			limit: PAGE,
			...(cursor === null ? {} : { cursor }),
		});
		yield* page.sessions;
		cursor = page.cursor;
	} while (cursor !== null);
}

import type { Params, SessionSummary } from "../../protocol/index.ts";
import type { Place } from "../place.ts";
import { withLink } from "../reach/link.ts";
import { findSession } from "../session/find-session.ts";

/** Changes something of the session that a person names, and returns the session as it is then. */
export function configure(
	place: Place,
	sessionText: string,
	change: Omit<Params<"session.configure">, "session">,
): Promise<SessionSummary> {
	return withLink(place, async (link) => {
		const session = await findSession(link, sessionText, place.here);
		return (await link.ask("session.configure", { session, ...change })).session;
	});
}

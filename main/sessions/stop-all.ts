import type { ReconnectingClient, SessionListView } from "../../agent/protocol/index.ts";
import { groupSessions } from "./groups.ts";

/**
 * Stops every session that runs or waits, all at once. One that can't be stopped doesn't keep the others running.
 *
 * @returns how many could not be stopped
 */
export async function stopAll(
	view: Pick<SessionListView, "sessions">,
	client: Pick<ReconnectingClient, "request">,
): Promise<number> {
	const { running, waiting } = groupSessions(view);
	const stops = [...running, ...waiting].map(({ id, state }) =>
		client.request("session.stop", {
			session: id,
			...("background" in state ? { background: true } : {}),
		}),
	);
	const results = await Promise.allSettled(stops);
	return results.filter(({ status }) => status === "rejected").length;
}

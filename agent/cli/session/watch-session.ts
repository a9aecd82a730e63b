import type { ConnectionState, ProtocolError, SessionView } from "../../protocol/index.ts";
import type { Link } from "../reach/link.ts";

/**
 * Calls for each view of a session, over the death of agents, until it is told to stop. `onLost` is called at most once,
 * when the session or the agent is lost for good.
 *
 * @returns what stops it
 */
export function watchSession(
	link: Link,
	session: string,
	listener: {
		readonly onView: (view: SessionView) => void;
		readonly onLost: (error: unknown) => void;
		readonly onState?: (state: ConnectionState) => void;
	},
): () => void {
	const watch = link.client.watch(
		"session.watch",
		{ session },
		{ onValue: listener.onView, onEnd: (error: ProtocolError) => lose(error) },
	);
	const forget = link.client.onState((state) => {
		listener.onState?.(state);
		if ("next" in state && state.next.kind === "given_up") lose(state.reason);
	});

	function stop(): void {
		forget();
		watch.stop();
	}

	function lose(error: unknown): void {
		stop();
		listener.onLost(error);
	}

	return stop;
}

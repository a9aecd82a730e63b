import type { SessionView } from "../../protocol/index.ts";
import type { Link } from "../reach/link.ts";
import { entrySource } from "../session/entry-source.ts";
import { watchSession } from "../session/watch-session.ts";
import type { FollowEvent } from "./events.ts";
import { type Beginning, createViewReader } from "./view-reader.ts";

/** A last line that has not changed for this long is taken for whole by whoever can't be shown it as it changes. */
const SETTLED_MS = 300;

export type Follower = {
	onEvent(event: FollowEvent): void;
	/**
	 * Called after the events of each view, with the unfinished line of what a call puts out now. Without it, such a line
	 * comes as an event once it has settled.
	 */
	onOpenLine?(line: { readonly call: string; readonly text: string } | undefined): void;
	/** Called with each view after its events. */
	onView?(view: SessionView): void;
};

/**
 * Follows a session until it is told to stop: over the death of agents, whose loss and return are events too.
 *
 * @returns `stop`, and a promise that rejects when the session or the agent is lost for good; it never resolves
 */
export function followSession(
	link: Link,
	session: string,
	beginning: Beginning,
	follower: Follower,
): { readonly lost: Promise<never>; stop(): void } {
	const reader = createViewReader(entrySource(link, session), beginning);
	const { promise: lost, reject } = Promise.withResolvers<never>();
	let stopped = false;
	let pending: SessionView | undefined;
	let isReading = false;
	let isConnected = true;
	let settling: NodeJS.Timeout | undefined;

	/** Views that come while one is read are passed over but for the newest. */
	async function read(): Promise<void> {
		isReading = true;
		while (pending !== undefined && !stopped) {
			const view = pending;
			pending = undefined;
			const events = await reader.next(view);
			if (stopped) break;
			for (const event of events) follower.onEvent(event);
			follower.onView?.(view);
			if (follower.onOpenLine !== undefined) follower.onOpenLine(reader.openLine);
			else if (reader.openLine !== undefined) settleSoon();
		}
		isReading = false;
	}

	function settleSoon(): void {
		clearTimeout(settling);
		settling = setTimeout(() => {
			// What is read now is newer, and comes by here again.
			if (!isReading) for (const event of reader.settle()) follower.onEvent(event);
		}, SETTLED_MS);
	}

	function fail(error: unknown): void {
		if (stopped) return;
		stop();
		reject(error);
	}

	const stopWatching = watchSession(link, session, {
		onView(view) {
			pending = view;
			if (!isReading) read().catch(fail);
		},
		onLost: fail,
		onState(state) {
			if (state.kind === "connected") {
				if (!isConnected) follower.onEvent({ type: "connection", state: "back", pid: state.welcome.pid });
				isConnected = true;
			} else if (state.kind === "gone" && isConnected) {
				isConnected = false;
				follower.onEvent({ type: "connection", state: "lost" });
			}
		},
	});

	function stop(): void {
		stopped = true;
		clearTimeout(settling);
		stopWatching();
	}

	// Who stops it need not wait for it as well.
	lost.catch(() => {});
	return { lost, stop };
}

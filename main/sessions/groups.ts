import type { SessionListView, SessionSummary } from "../../agent/protocol/index.ts";

/** The sessions as the tray lists them, each in one group, the most pressing group first. */
export type SessionGroups = {
	readonly needsYou: readonly SessionSummary[];
	readonly running: readonly SessionSummary[];
	readonly waiting: readonly SessionSummary[];
	/** Came to an end, and nobody has looked since. */
	readonly finished: readonly SessionSummary[];
	readonly recent: readonly SessionSummary[];
};

const MOST_RECENT = 6;

/** In each group the longest-standing claim first: the oldest question, the longest run; what has ended newest first. */
export function groupSessions(view: Pick<SessionListView, "sessions">): SessionGroups {
	const sessions = Object.values(view.sessions).filter(({ archived }) => !archived);
	const rest = sessions.filter(({ state }) => state.kind === "idle" || state.kind === "failed");
	return {
		needsYou: sorted(sessions, (session) =>
			session.state.kind === "needs_you" ? session.state.request.at : undefined,
		),
		running: sorted(sessions, (session) =>
			session.state.kind === "running" ? session.state.since : undefined,
		),
		waiting: sorted(sessions, (session) =>
			session.state.kind === "waiting" ? waitsUntil(session.state) : undefined,
		),
		finished: sorted(rest, (session) => (session.unread ? -session.updatedAt : undefined)),
		recent: sorted(rest, (session) => (session.unread ? undefined : -session.updatedAt)).slice(
			0,
			MOST_RECENT,
		),
	};
}

/** Nobody knows when a slot is free: such a session comes first, as one that may go on at any moment. */
function waitsUntil(state: Extract<SessionSummary["state"], { readonly kind: "waiting" }>): number {
	return state.for === "slot" ? 0 : state.until;
}

/** How many sessions go on by themselves when the app quits. */
export function countKeptRunning({ running, waiting }: SessionGroups): number {
	return running.length + waiting.length;
}

/** The folders of projects, newest use first. */
export function recentFolders(view: Pick<SessionListView, "sessions">, most = 8): readonly string[] {
	const byUse = Object.values(view.sessions).sort((one, other) => other.updatedAt - one.updatedAt);
	return [...new Set(byUse.map(({ project }) => project))].slice(0, most);
}

/** Those with a rank, by it; sessions of the same rank by their id, so that rows don't jump. */
function sorted(
	sessions: readonly SessionSummary[],
	rankOf: (session: SessionSummary) => number | undefined,
): readonly SessionSummary[] {
	return sessions
		.flatMap((session) => {
			const rank = rankOf(session);
			return rank === undefined ? [] : [{ session, rank }];
		})
		.sort((one, other) => one.rank - other.rank || (one.session.id < other.session.id ? -1 : 1))
		.map(({ session }) => session);
}

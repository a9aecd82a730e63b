import type { PendingRequest, SessionState, SessionSummary } from "../../protocol/index.ts";

/** One session as `ls --json` prints it; scripts rely on it. Times are in ms since the epoch. */
export type ListedSession = {
	id: string;
	title: string;
	directory: string;
	state: SessionState["kind"];
	/** What a waiting one waits for, and until when it does at most. */
	for?: "retry" | "limit" | "network" | "slot";
	until?: number;
	request?: PendingRequest;
	model: string | null;
	updatedAt: number;
	unread: boolean;
	/** Only where it is true. */
	archived?: true;
	/** Of a fork: the session and the entry it was made from. */
	forkedFrom?: { session: string; entry: string };
};

export function listedSession(summary: SessionSummary): ListedSession {
	const { id, title, directory, state, model, updatedAt, unread, archived, forkedFrom } = summary;
	return {
		id,
		title,
		directory,
		state: state.kind,
		...(state.kind === "waiting" ? { for: state.for } : {}),
		...("until" in state ? { until: state.until } : {}),
		...(state.kind === "needs_you" ? { request: state.request } : {}),
		model,
		updatedAt,
		unread,
		...(archived ? { archived: true as const } : {}),
		...(forkedFrom === undefined ? {} : { forkedFrom }),
	};
}

import type { HealthProblem } from "./health.ts";
import type { SessionSummary } from "./session-summary.ts";

/**
 * What `sessions.watch` carries: every session that isn't archived, except the oldest of the idle ones past the limit.
 * By id, so that a change of one session is one operation; a client sorts them as it likes.
 */
export type SessionListView = {
	sessions: Record<string, SessionSummary>;
	/** Whether `sessions.list` has more of them. */
	hasMore: boolean;
	counts: { total: number; running: number; waiting: number; needsYou: number; unread: number };
	/** What today's runs cost, by the agent's local date; `estimated` as in `Spend`. */
	today?: { cost: number; runs: number; estimated?: boolean };
	/** What is wrong with the agent itself, for a banner. */
	problems: HealthProblem[];
};

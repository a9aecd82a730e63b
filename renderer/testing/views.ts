import type { SessionSummary, SessionView } from "../../agent/protocol/index.ts";

/** A session's view for tests, with only what a test is about. */
export function viewOf(session: SessionSummary, more: Partial<SessionView> = {}): SessionView {
	return {
		session,
		entries: [],
		hasOlder: false,
		live: { tools: [] },
		inbox: [],
		submissions: [],
		usage: {
			total: {
				input: 6800,
				output: 2100,
				cacheRead: 67310,
				cacheWrite: 0,
				totalTokens: 76210,
				cost: 0.42,
				estimated: false,
			},
			models: {},
			context: { tokens: 76210, window: 200_000 },
		},
		requests: [],
		tasks: [],
		agent: {
			model: session.model,
			thinkingLevel: "medium",
			tools: [],
			cwd: session.directory,
			mode: "run_freely",
		},
		background: [],
		...more,
	};
}

import type { SessionListView, SessionSummary } from "../../agent/protocol/index.ts";

/** A session as lists show it, for tests. */
export function session(id: string, fields: Partial<SessionSummary> = {}): SessionSummary {
	return {
		id,
		title: `Session ${id}`,
		directory: `/home/ada/project-${id}`,
		project: `/home/ada/project-${id}`,
		state: { kind: "idle" },
		model: "script/script-1",
		mode: "run_freely",
		createdAt: 0,
		updatedAt: 0,
		unread: false,
		archived: false,
		...fields,
	};
}

export function listOf(...sessions: readonly SessionSummary[]): SessionListView {
	return {
		sessions: Object.fromEntries(sessions.map((each) => [each.id, each])),
		hasMore: false,
		counts: { total: sessions.length, running: 0, waiting: 0, needsYou: 0, unread: 0 },
		problems: [],
	};
}

/** A run that ended. */
export function ended(run: string, outcome: "answered" | "failed" | "stopped", endedAt = 10) {
	return { lastRun: { run, outcome, endedAt } };
}

export function asks(id: string, text = "Run terraform apply?", at = 5): Partial<SessionSummary> {
	const choices = [{ id: "once", label: "Run once" }];
	return { state: { kind: "needs_you", request: { id, kind: "approval", text, choices, at } } };
}

import type { SessionSummary } from "../../agent/protocol/index.ts";

/** A session for tests, with only what a test is about. */
export function summary(id: string, more: Partial<SessionSummary> = {}): SessionSummary {
	return {
		id,
		title: id,
		directory: "/home/ada/code/shop",
		project: "/home/ada/code/shop",
		state: { kind: "idle" },
		model: "script/script-1",
		mode: "run_freely",
		createdAt: 0,
		updatedAt: 0,
		unread: false,
		archived: false,
		...more,
	};
}

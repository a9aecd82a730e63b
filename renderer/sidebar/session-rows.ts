import type { SessionSummary } from "../../agent/protocol/index.ts";

export type GroupName = "Needs you" | "Running" | "Waiting" | "Earlier" | "Found";

/** A row of the sidebar. */
export type SidebarRow = { readonly key: string } & (
	| { readonly kind: "group"; readonly name: GroupName; readonly count: number | undefined }
	| { readonly kind: "session"; readonly session: SessionSummary }
	/** Several sessions at work in one folder may get in each other's way. */
	| { readonly kind: "shared"; readonly directory: string; readonly count: number }
);

/** What needs a person first, then what works, then what waits, then the rest; the newest first in each. */
export function sessionRows(sessions: readonly SessionSummary[]): SidebarRow[] {
	const newestFirst = [...sessions].sort((one, other) => other.updatedAt - one.updatedAt);
	const groups: Record<GroupName, SessionSummary[]> = {
		"Needs you": [],
		Running: [],
		Waiting: [],
		Earlier: [],
		Found: [],
	};
	for (const session of newestFirst) groups[groupOf(session)].push(session);
	const shared = sharedFolders(newestFirst);
	return (Object.entries(groups) as [GroupName, SessionSummary[]][]).flatMap(([name, members]) => {
		if (members.length === 0) return [];
		const count = name === "Earlier" ? undefined : members.length;
		return [
			{ key: `group ${name}`, kind: "group" as const, name, count },
			...members.map(sessionRow),
			...(name === "Running" ? shared : []),
		];
	});
}

/** Sessions a search found, in the order the agent gave them. */
export function foundRows(sessions: readonly SessionSummary[], total: number): SidebarRow[] {
	return [{ key: "group Found", kind: "group", name: "Found", count: total }, ...sessions.map(sessionRow)];
}

function groupOf({ state }: SessionSummary): GroupName {
	switch (state.kind) {
		case "needs_you":
			return "Needs you";
		case "running":
			return "Running";
		case "waiting":
			return "Waiting";
		case "idle":
		case "failed":
			return "Earlier";
	}
}

function sessionRow(session: SessionSummary): SidebarRow {
	return { key: session.id, kind: "session", session };
}

function sharedFolders(sessions: readonly SessionSummary[]): SidebarRow[] {
	const running = sessions.filter(({ state }) => state.kind === "running");
	const counts = new Map<string, number>();
	for (const { directory } of running) counts.set(directory, (counts.get(directory) ?? 0) + 1);
	return [...counts]
		.filter(([, count]) => count > 1)
		.map(([directory, count]) => ({ key: `shared ${directory}`, kind: "shared", directory, count }));
}

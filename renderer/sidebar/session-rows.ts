import type { SearchHit, SessionSummary } from "../../agent/protocol/index.ts";

type StateGroup = "Needs you" | "Running" | "Waiting" | "Earlier";
export type GroupName = StateGroup | "Titles" | "In the text";

/** A row of the sidebar. */
export type SidebarRow = { readonly key: string } & (
	| { readonly kind: "group"; readonly name: GroupName; readonly count: number | undefined }
	| { readonly kind: "session"; readonly session: SessionSummary }
	/** An entry that a search found. */
	| { readonly kind: "hit"; readonly hit: SearchHit }
	/** Several sessions at work in one folder may get in each other's way. */
	| { readonly kind: "shared"; readonly directory: string; readonly count: number }
);

/** What needs a person first, then what works, then what waits, then the rest; the newest first in each. */
export function sessionRows(sessions: readonly SessionSummary[]): SidebarRow[] {
	const newestFirst = [...sessions].sort((one, other) => other.updatedAt - one.updatedAt);
	const groups: Record<StateGroup, SessionSummary[]> = {
		"Needs you": [],
		Running: [],
		Waiting: [],
		Earlier: [],
	};
	for (const session of newestFirst) groups[groupOf(session)].push(session);
	const shared = sharedFolders(newestFirst);
	return (Object.entries(groups) as [StateGroup, SessionSummary[]][]).flatMap(([name, members]) => {
		if (members.length === 0) return [];
		const count = name === "Earlier" ? undefined : members.length;
		return [
			{ key: `group ${name}`, kind: "group" as const, name, count },
			...members.map(sessionRow),
			...(name === "Running" ? shared : []),
		];
	});
}

/** What a search found, in the order the agent gave it; `total` counts the sessions that are not loaded too. */
export function foundRows(
	sessions: readonly SessionSummary[],
	total: number,
	hits: readonly SearchHit[],
): SidebarRow[] {
	const texts = hits.map((hit): SidebarRow => ({ key: `hit ${hit.session} ${hit.entry}`, kind: "hit", hit }));
	return [
		...(total > 0 ? [{ key: "group Titles", kind: "group", name: "Titles", count: total } as const] : []),
		...sessions.map(sessionRow),
		...(texts.length > 0
			? [{ key: "group text", kind: "group", name: "In the text", count: undefined } as const]
			: []),
		...texts,
	];
}

function groupOf({ state }: SessionSummary): StateGroup {
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

import type { HealthProblem, SessionListView, SessionSummary } from "../../protocol/index.ts";
import type { SessionSnapshot } from "../../sessions/service.ts";
import { jsonBytes } from "./sizes.ts";
import { summaryOf } from "./summary.ts";

/** Of the 2 MiB of a snapshot; the rest is for the counts and the agent's problems. */
const MOST_BYTES = 1_900_000;

const sizes = new WeakMap<SessionSummary, number>();

/**
 * The list of sessions: every one that isn't idle, and of the idle ones as many of the newest as fit.
 *
 * @param snapshots not archived, newest activity first
 * @param limit how many there are at most, unless more than that are busy
 */
export function listView(
	snapshots: readonly SessionSnapshot[],
	limit: number,
	problems: readonly HealthProblem[],
	today: SessionListView["today"],
): SessionListView {
	const idle = snapshots.filter(({ activity }) => activity.kind === "idle");
	const busy = snapshots.filter(({ activity }) => activity.kind !== "idle");
	const shown = fitting([...busy, ...idle.slice(0, Math.max(0, limit - busy.length))]);
	return {
		sessions: Object.fromEntries(shown.map((summary) => [summary.id, summary])),
		hasMore: shown.length < snapshots.length,
		counts: { ...countsOf(snapshots), unread: snapshots.filter(({ unread }) => unread).length },
		...(today === undefined ? {} : { today }),
		problems: [...problems],
	};
}

/** How many sessions there are, and what they are doing. */
export function countsOf(snapshots: readonly SessionSnapshot[]) {
	const count = (kind: SessionSnapshot["activity"]["kind"]) =>
		snapshots.filter(({ activity }) => activity.kind === kind).length;
	return {
		total: snapshots.length,
		running: count("running"),
		waiting: count("waiting"),
		needsYou: count("needs_you"),
	};
}

function fitting(snapshots: readonly SessionSnapshot[]): SessionSummary[] {
	const shown: SessionSummary[] = [];
	let bytes = 0;
	for (const snapshot of snapshots) {
		const summary = summaryOf(snapshot);
		bytes += sizeOf(summary);
		if (bytes > MOST_BYTES) break;
		shown.push(summary);
	}
	return shown;
}

function sizeOf(summary: SessionSummary): number {
	const size = sizes.get(summary) ?? jsonBytes(summary) + summary.id.length + 4;
	sizes.set(summary, size);
	return size;
}

import type { Context } from "@earendil-works/chord";
import type { SessionCore } from "../session/session.ts";
import type { LiveTask } from "../tasks/live-tasks.ts";
import type { HarnessInspection, TaskInspection } from "../types/harness.ts";
import type { Cursor } from "../types/storage.ts";
import type { SubmissionRecord } from "../types/submissions.ts";
import type { HarnessParts } from "./harness-api.ts";

/** All live work at one point of the line. Writes nothing and runs no task's code. */
export function inspect(parts: HarnessParts, context: Context): Promise<HarnessInspection> {
	const { session, liveTasks } = parts;
	return session.onLine(async () => ({
		scheduling:
			session.closing || parts.scheduler.state === "draining"
				? "closing"
				: parts.hasResumed()
					? "running"
					: "paused",
		tasks: [...liveTasks.live.values()].map((task) => ({
			record: task.record,
			state: stateOf(task, parts),
		})),
		submissions: await openSubmissions(session, context),
	}));
}

function stateOf(
	{ record }: LiveTask,
	{ liveTasks, scheduler, guard }: HarnessParts,
): TaskInspection["state"] {
	if (scheduler.isRunning(record.id)) return { kind: "running" };
	if (record.state.status === "completing") return { kind: "completing" };
	if (record.abortRequested) {
		const on = liveTasks.belowIds(record.id);
		if (on.length > 0) return { kind: "waiting", on };
	} else if (record.state.status === "waiting") {
		const on = record.state.on.filter((id) => liveTasks.live.has(id));
		if (on.length > 0) return { kind: "waiting", on };
	}
	if (guard.isParked(record.conversationId) && !record.abortRequested) return { kind: "parked" };
	const resolution = scheduler.resolution(record);
	if (resolution.kind === "blocked") return resolution;
	return { kind: "ready", migrates: resolution.migrates };
}

async function openSubmissions(session: SessionCore, context: Context): Promise<SubmissionRecord[]> {
	const records: SubmissionRecord[] = [];
	for (const status of ["queued", "placed"] as const) {
		let cursor: Cursor | undefined;
		do {
			const page = await session.storage.scanSubmissions({ status }, 500, cursor, context);
			records.push(...page.items);
			cursor = page.next;
		} while (cursor !== undefined);
	}
	return records.sort((left, right) => left.id - right.id);
}

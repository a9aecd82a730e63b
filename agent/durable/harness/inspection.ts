import type { Context } from "@earendil-works/chord";
import type { SessionCore } from "../session/session.ts";
import type { LiveTask, LiveTasks } from "../tasks/live-tasks.ts";
import type { Scheduler } from "../tasks/scheduler.ts";
import type { HarnessInspection, TaskInspection } from "../types/harness.ts";
import type { Cursor } from "../types/storage.ts";
import type { SubmissionRecord } from "../types/submissions.ts";
import type { ResumeGuard } from "./resume-guard.ts";

/** All live work at one point of the line. Writes nothing and runs no task's code. */
export function inspect(
	session: SessionCore,
	liveTasks: LiveTasks,
	scheduler: Scheduler,
	guard: ResumeGuard,
	context: Context,
): Promise<HarnessInspection> {
	return session.onLine(async () => ({
		scheduling: session.closing ? "closing" : scheduler.state,
		tasks: [...liveTasks.live.values()].map((task) => ({
			record: task.record,
			state: stateOf(task, liveTasks, scheduler, guard),
		})),
		submissions: await openSubmissions(session, context),
	}));
}

function stateOf(
	{ record }: LiveTask,
	liveTasks: LiveTasks,
	scheduler: Scheduler,
	guard: ResumeGuard,
): TaskInspection["state"] {
	if (scheduler.isRunning(record.id)) return { kind: "running" };
	if (record.state.status === "completing") return { kind: "completing" };
	if (record.state.status === "waiting" && !record.abortRequested) {
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

import { failureCause, type LiveState, type TaskId, type ToolSlot } from "../../durable/index.ts";
import type { SessionActivity, SessionSnapshot } from "../service.ts";
import type { SessionFacts } from "./facts.ts";

/** A session as lists show it. A function of the facts alone. */
export function snapshotOf(facts: SessionFacts): SessionSnapshot {
	const { id, record, model, newest, toRead, ended, preview } = facts;
	const activity = activityOf(facts);
	const doing = activity.kind === "running" ? doingOf(facts) : undefined;
	return {
		id,
		record,
		activity,
		model,
		updatedAt: Math.max(record.createdAt, newest?.at ?? 0),
		newestEntry: newest?.id,
		unread: toRead !== undefined && toRead > (record.seen ?? 0),
		...(doing === undefined ? {} : { doing }),
		...(preview === "" ? {} : { preview }),
		...(ended === undefined
			? {}
			: { lastRun: { run: ended.run, outcome: ended.outcome, endedAt: ended.endedAt } }),
	};
}

function activityOf({ parked, live, run, ended }: SessionFacts): SessionActivity {
	if (parked !== undefined) return { kind: "needs_you", reason: parked.reason, at: parked.at };
	if (run !== undefined) return waitOf(live) ?? { kind: "running", since: run.since };
	if (ended?.failure !== undefined) return { kind: "failed", reason: ended.failure };
	return { kind: "idle" };
}

function waitOf({ generation, compactions }: LiveState): SessionActivity | undefined {
	const making = compactions?.find(({ blocking }) => blocking);
	const waiting = generation?.waiting ?? making?.waiting;
	if (waiting?.reason === "slot") return { kind: "waiting", for: "slot" };
	if (waiting !== undefined) return { kind: "waiting", for: waiting.reason, until: waiting.at };
	const retry = generation?.retry ?? making?.retry;
	if (retry === undefined) return undefined;
	return { kind: "waiting", for: "retry", until: retry.at, cause: failureCause(retry.error) };
}

function doingOf({ live, run, startedAt }: SessionFacts): SessionSnapshot["doing"] {
	const since = (task: TaskId | undefined) =>
		(task === undefined ? undefined : startedAt.get(task)) ?? run?.since ?? 0;
	const calls = (live.tools ?? []).filter(({ status }) => status !== "done");
	const call = calls.find(({ status }) => status === "running") ?? calls[0];
	if (call !== undefined)
		return { text: callsText(call, calls.length), tool: call.name, since: since(call.taskId) };
	const compaction = live.compactions?.find(({ blocking }) => blocking);
	if (compaction !== undefined) return { text: "compacting", since: since(compaction.taskId) };
	return { text: isWriting(live) ? "writing" : "thinking", since: since(live.run?.taskId) };
}

function callsText({ name }: ToolSlot, count: number): string {
	return count === 1 ? name : `${name} and ${count - 1} more`;
}

function isWriting({ generation }: LiveState): boolean {
	const content = generation?.message?.content ?? [];
	return content.some((part) => part.type === "text" && part.text !== "");
}

import {
	type ConversationId,
	failureCause,
	type LiveState,
	type TaskId,
	type ToolSlot,
} from "../../durable/index.ts";
import type { SessionActivity, SessionSnapshot, Waiting } from "../service.ts";
import type { SessionFacts } from "./facts.ts";
import { type Below, NOTHING_BELOW, type Work } from "./work.ts";

/** A session as lists show it. A function of the facts, and of what goes on below it, alone. */
export function snapshotOf(facts: SessionFacts, below: Below = NOTHING_BELOW): SessionSnapshot {
	const { id, record, model, newest, toRead, ended, preview } = facts;
	const activity = activityOf(facts, below);
	const doing = activity.kind === "running" ? doingOf(facts, below) : undefined;
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

/** A person walks away from what the list shows: a session is at work, or needs them, also when only a subagent does. */
function activityOf(facts: SessionFacts, below: Below): SessionActivity {
	const { parked, ended } = facts;
	if (parked !== undefined) return { kind: "needs_you", reason: parked.reason, at: parked.at };
	for (const [subagent, { parked: held }] of below)
		if (held !== undefined) return { kind: "needs_you", reason: held.reason, at: held.at, subagent };
	const own = workActivity(facts, below);
	const background = inBackground(facts, below);
	const activity = own ?? soonestActivity(background, below);
	if (activity !== undefined) return background.length === 0 ? activity : { ...activity, background: true };
	if (ended?.failure !== undefined) return { kind: "failed", reason: ended.failure };
	return { kind: "idle" };
}

type AtWork = Extract<SessionActivity, { kind: "running" | "waiting" }>;

/** What a conversation's own run does; undefined without one. */
function workActivity({ live, run }: Readonly<Work>, below: Below): AtWork | undefined {
	if (run === undefined) return undefined;
	return waitingOf(live) ?? waitingCalls(live, below) ?? { kind: "running", since: run.since };
}

/** What goes on below that no call of the session's run waits for. */
function inBackground({ live }: SessionFacts, below: Below): Readonly<Work>[] {
	if (below.size === 0) return [];
	const called = new Set<ConversationId>();
	const follow = ({ tools = [] }: LiveState): void => {
		for (const slot of tools) {
			const id = subagentOf(slot);
			if (id === undefined || called.has(id)) continue;
			called.add(id);
			follow(below.get(id)?.live ?? {});
		}
	};
	follow(live);
	return [...below].flatMap(([id, work]) => (called.has(id) ? [] : [work]));
}

/** The conversation of the subagent that an unfinished call waits for. */
function subagentOf({ status, details }: ToolSlot): ConversationId | undefined {
	if (status === "done") return undefined;
	return (details as { readonly conversationId?: ConversationId } | undefined)?.conversationId;
}

/** Of several that are at work: they run while one of them does, else they wait for the first to go on. */
function soonestActivity(works: readonly Readonly<Work>[], below: Below): AtWork | undefined {
	const activities = works.flatMap((work) => workActivity(work, below) ?? []);
	const running = activities.filter((activity) => activity.kind === "running");
	if (running.length > 0) return { kind: "running", since: Math.min(...running.map(({ since }) => since)) };
	return soonest(activities.filter((activity) => activity.kind === "waiting"));
}

/** What a run waits for whose every unfinished call is a subagent that waits. */
function waitingCalls({ tools = [] }: LiveState, below: Below): Waiting | undefined {
	const waits: Waiting[] = [];
	for (const slot of tools) {
		if (slot.status === "done") continue;
		const subagent = subagentOf(slot);
		const work = subagent === undefined ? undefined : below.get(subagent);
		const activity = work && workActivity(work, below);
		if (activity?.kind !== "waiting") return undefined;
		waits.push(activity);
	}
	return soonest(waits);
}

function soonest(waits: readonly Waiting[]): Waiting | undefined {
	const untilOf = (wait: Waiting) => (wait.for === "slot" ? 0 : wait.until);
	return waits.toSorted((one, other) => untilOf(one) - untilOf(other))[0];
}

/** What a run, or the compaction before it, waits for. */
export function waitingOf({ generation, compactions }: LiveState): Waiting | undefined {
	const making = compactions?.find(({ blocking }) => blocking);
	const waiting = generation?.waiting ?? making?.waiting;
	if (waiting?.reason === "slot") return { kind: "waiting", for: "slot" };
	if (waiting !== undefined) return { kind: "waiting", for: waiting.reason, until: waiting.at };
	const retry = generation?.retry ?? making?.retry;
	if (retry === undefined) return undefined;
	return { kind: "waiting", for: "retry", until: retry.at, cause: failureCause(retry.error) };
}

function doingOf(facts: SessionFacts, below: Below): SessionSnapshot["doing"] {
	const { live, run, startedAt } = facts;
	if (run === undefined) return inBackgroundWords([...below.values()]);
	const since = (task: TaskId | undefined) =>
		(task === undefined ? undefined : startedAt.get(task)) ?? run.since;
	const calls = (live.tools ?? []).filter(({ status }) => status !== "done");
	const call = calls.find(({ status }) => status === "running") ?? calls[0];
	if (call !== undefined)
		return { text: callsText(call, calls.length), tool: call.name, since: since(call.taskId) };
	const compaction = live.compactions?.find(({ blocking }) => blocking);
	if (compaction !== undefined) return { text: "compacting", since: since(compaction.taskId) };
	return { text: isWriting(live) ? "writing" : "thinking", since: since(live.run?.taskId) };
}

function inBackgroundWords(works: readonly Readonly<Work>[]): SessionSnapshot["doing"] {
	const since = Math.min(...works.flatMap(({ run }) => run?.since ?? []));
	return { text: works.length === 1 ? "subagent" : `${works.length} subagents`, tool: "subagent", since };
}

function callsText({ name }: ToolSlot, count: number): string {
	return count === 1 ? name : `${name} and ${count - 1} more`;
}

function isWriting({ generation }: LiveState): boolean {
	const content = generation?.message?.content ?? [];
	return content.some((part) => part.type === "text" && part.text !== "");
}

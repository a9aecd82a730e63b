import type { ConversationId, LiveState, ResumeState } from "../../durable/index.ts";
import type { PendingRequest, SessionState, SessionSummary } from "../../protocol/index.ts";
import { waitingOf } from "../../sessions/index/snapshot.ts";
import { modelName } from "../../sessions/model-entry.ts";
import type { SessionActivity, SessionSnapshot } from "../../sessions/service.ts";

const summaries = new WeakMap<SessionSnapshot, SessionSummary>();

/** A session as lists show it; the same object for the same snapshot. */
export function summaryOf(snapshot: SessionSnapshot): SessionSummary {
	const known = summaries.get(snapshot);
	if (known !== undefined) return known;
	const { record, model, doing, preview, lastRun } = snapshot;
	const { forkedFrom } = record;
	const summary: SessionSummary = {
		id: String(snapshot.id),
		title: record.title,
		directory: record.directory,
		project: record.directory,
		state: stateOf(snapshot.id, snapshot.activity),
		model: model === undefined ? null : modelName(model),
		mode: "run_freely",
		createdAt: record.createdAt,
		updatedAt: snapshot.updatedAt,
		unread: snapshot.unread,
		archived: record.archivedAt !== undefined,
		...(doing === undefined ? {} : { activity: { ...doing } }),
		...(preview === undefined ? {} : { preview }),
		...(lastRun === undefined ? {} : { lastRun: { ...lastRun, run: String(lastRun.run) } }),
		...(forkedFrom === undefined
			? {}
			: { forkedFrom: { session: String(forkedFrom.session), entry: String(forkedFrom.entry) } }),
	};
	summaries.set(snapshot, summary);
	return summary;
}

function stateOf(id: ConversationId, activity: SessionActivity): SessionState {
	if (activity.kind !== "needs_you") return { ...activity };
	const { subagent, ...parked } = activity;
	const request = subagent === undefined ? stopRequest(id, parked) : heldBelow(subagent, parked);
	return { kind: "needs_you", request };
}

/** A subagent was parked: the session waits with it. */
function heldBelow(
	subagent: ConversationId,
	parked: { readonly reason: string; readonly at: number },
): PendingRequest {
	const text =
		"Going on with a subagent of this session ended the agent several times, so it waits for you. Open it under its call, and send it a message or stop it.";
	return { ...stopRequest(subagent, { ...parked, reason: text }), conversation: String(subagent) };
}

/** A session that was parked: it waits for a message, or to be stopped. */
export function stopRequest(
	id: ConversationId,
	{ reason, at }: { readonly reason: string; readonly at: number },
): PendingRequest {
	return { id: `parked-${id}-${at}`, kind: "stop", text: reason, choices: [], at };
}

export type SubagentFacts = {
	readonly id: ConversationId;
	/** The conversation whose task owns it, and the call of that task. */
	readonly parent: { readonly conversation: ConversationId; readonly call: string };
	/** The session at the top. */
	readonly session: SessionSnapshot;
	readonly directory: string;
	readonly model: string | null;
	readonly live: LiveState;
	readonly parked: ResumeState["parked"];
	readonly runSince: number | undefined;
	readonly createdAt: number;
	readonly updatedAt: number;
};

/** A subagent's conversation, shown like a session. */
export function subagentSummary(facts: SubagentFacts): SessionSummary {
	const { record } = facts.session;
	return {
		id: String(facts.id),
		title: `Subagent of ${record.title}`,
		directory: facts.directory,
		project: record.directory,
		state: stateOf(facts.id, subagentActivity(facts)),
		model: facts.model,
		mode: "run_freely",
		createdAt: facts.createdAt,
		updatedAt: facts.updatedAt,
		unread: false,
		archived: false,
		parent: { session: String(facts.parent.conversation), call: facts.parent.call },
	};
}

function subagentActivity({ live, parked, runSince, updatedAt }: SubagentFacts): SessionActivity {
	if (parked !== undefined) return { kind: "needs_you", ...parked };
	if (live.run === undefined) return { kind: "idle" };
	return waitingOf(live) ?? { kind: "running", since: runSince ?? updatedAt };
}

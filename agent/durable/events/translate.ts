import { generationIdentity } from "../generation/token.ts";
import type { AgentEvent } from "../types/agent-events.ts";
import type { EntryRecord } from "../types/entries.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import type { LiveState } from "../types/live.ts";
import type { CommitPublication } from "../types/session.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";
import { type ConversationState, messageOf, queuedIn, stateAfter } from "./conversation-state.ts";
import { messageChanges } from "./message-changes.ts";
import { toolEvents } from "./tool-events.ts";

/**
 * Turns the commits of one conversation into events, in the order of the lists below.
 *
 * @param completing generations whose outcome was decided before the first commit that comes
 */
export function createTranslator(
	id: ConversationId,
	initial: ConversationState,
	completing: readonly TaskId[],
) {
	let state = initial;
	/** Whether the answer that is being written was told of. */
	let isOpen = messageOf(initial.live) !== undefined;
	/** Generations that were told to have begun, and to have ended while work they own goes on. */
	const begun = new Set<TaskId>();
	const ended = new Set<TaskId>(completing);

	function answerEvents(before: LiveState, after: LiveState): AgentEvent[] {
		const [was, is] = [messageOf(before), messageOf(after)];
		if (is === undefined) return [];
		if (was === undefined || !isOpen) {
			isOpen = true;
			return [{ type: "message_start", message: is }];
		}
		const changes = messageChanges(was, is);
		const spent = JSON.stringify(was.usage) !== JSON.stringify(is.usage);
		return changes.length === 0 && !spent ? [] : [{ type: "message_update", usage: is.usage, changes }];
	}

	function entryEvents(entry: EntryRecord, ends: readonly AgentEvent[]): AgentEvent[] {
		const [message] = entry.model ?? [];
		if (message === undefined) return [{ type: "entry_appended", entry }];
		const wasOpen = message.role === "assistant" && isOpen;
		if (wasOpen) isOpen = false;
		const end = ends.filter((event) => event.type === "tool_execution_end" && event.entry?.id === entry.id);
		return [
			...end,
			...(wasOpen ? [] : [{ type: "message_start", message } as const]),
			{ type: "message_end", entry },
		];
	}

	function turns(tasks: readonly AnyTaskRecord[]): { starts: AgentEvent[]; ends: AgentEvent[] } {
		const starts: AgentEvent[] = [];
		const ends: AgentEvent[] = [];
		for (const { id: task, kind, state: now, startedAt, abortRequested } of tasks) {
			if (kind !== generationIdentity.name) continue;
			const isDecided = now.status === "completing" || now.status === "terminal";
			if (isDecided && !ended.has(task)) ends.push({ type: "turn_end" });
			if (now.status === "completing") ended.add(task);
			if (now.status === "terminal") {
				ended.delete(task);
				begun.delete(task);
			}
			if (now.status === "pending" && startedAt === undefined && !abortRequested && !begun.has(task)) {
				begun.add(task);
				starts.push({ type: "turn_start" });
			}
		}
		return { starts, ends };
	}

	return {
		get state() {
			return state;
		},
		/** The events of a commit; none when it says nothing of the conversation. */
		translate(publication: CommitPublication): AgentEvent[] {
			const before = state;
			const { state: after, changed } = stateAfter(before, id, publication);
			state = after;
			const entries = publication.entries.filter(({ conversationId }) => conversationId === id);
			const tasks = publication.tasks.filter(({ conversationId }) => conversationId === id);
			const tools = toolEvents(before.live.tools ?? [], after.live.tools ?? [], entries, tasks);
			const run = runEvents(before.live, after.live);
			const turn = turns(tasks);
			const compactions = compactionEvents(before.live, after.live);
			const submissions = publication.submissions.filter(({ conversationId }) => conversationId === id);
			return [
				...tools.starts,
				...answerEvents(before.live, after.live),
				...tools.updates,
				...waitEvents(before.live, after.live),
				...entries.flatMap((entry) => entryEvents(entry, tools.ends)),
				...tools.ends.filter(({ entry }) => entry === undefined),
				...compactions.ends,
				...tasks.flatMap(failureOf),
				...turn.ends,
				...run.ends,
				...[...submissions]
					.sort((left, right) => left.id - right.id)
					.map((record) => ({ type: "submission", record }) as const),
				...(changed.inbox ? [{ type: "inbox_update", items: queuedIn(after.inbox) } as const] : []),
				...(changed.agent ? [{ type: "agent_changed", agent: after.agent } as const] : []),
				...(changed.usage ? [{ type: "usage_changed", usage: after.usage } as const] : []),
				...compactions.starts,
				...run.starts,
				...turn.starts,
			];
		},
	};
}

export type Translator = ReturnType<typeof createTranslator>;

/** A run is named by its first input: messages that join it begin no other. */
function runEvents(before: LiveState, after: LiveState): { starts: AgentEvent[]; ends: AgentEvent[] } {
	const [was, is] = [before.run, after.run];
	if (was?.inputs[0] === is?.inputs[0]) return { starts: [], ends: [] };
	return {
		starts: is === undefined ? [] : [{ type: "run_start", inputs: is.inputs }],
		ends: was === undefined ? [] : [{ type: "run_end", inputs: was.inputs }],
	};
}

function waitEvents(before: LiveState, after: LiveState): AgentEvent[] {
	const events: AgentEvent[] = [];
	const [was, is] = [before.generation, after.generation];
	const isSame = was?.retry?.at === is?.retry?.at && was?.attempt === is?.attempt;
	if (was?.retry !== undefined && !isSame) events.push({ type: "auto_retry_end", attempt: was.attempt });
	if (is?.retry !== undefined && !(isSame && was?.retry !== undefined)) {
		const { at, error } = is.retry;
		events.push({ type: "auto_retry_start", attempt: is.attempt, at, errorMessage: error });
	}
	if (is?.deferred !== undefined && is.deferred.pollAt !== was?.deferred?.pollAt)
		events.push({ type: "deferred_poll", pollAt: is.deferred.pollAt });
	return events;
}

function compactionEvents(before: LiveState, after: LiveState): { starts: AgentEvent[]; ends: AgentEvent[] } {
	const [was, is] = [before.compactions ?? [], after.compactions ?? []];
	return {
		starts: is
			.filter(({ taskId }) => !was.some((other) => other.taskId === taskId))
			.map(({ taskId, reason, blocking }) => ({ type: "compaction_start", taskId, reason, blocking })),
		ends: was
			.filter(({ taskId }) => !is.some((other) => other.taskId === taskId))
			.map(({ taskId, reason }) => ({ type: "compaction_end", taskId, reason })),
	};
}

function failureOf({ id, kind, state }: AnyTaskRecord): AgentEvent[] {
	if (state.status !== "terminal") return [];
	const { outcome } = state;
	if (outcome.status === "faulted")
		return [{ type: "task_failed", taskId: id, kind, message: outcome.error.message }];
	return outcome.status === "orphaned"
		? [{ type: "task_failed", taskId: id, kind, message: outcome.reason }]
		: [];
}

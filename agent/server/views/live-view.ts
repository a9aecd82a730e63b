import {
	type ConversationId,
	failureCause,
	type JsonObject,
	type LiveState,
	type SlotWait,
	type ImposedWait as StoredImposedWait,
	type TaskId,
	type ToolSlot,
} from "../../durable/index.ts";
import type {
	ImposedWait,
	JsonValue,
	LiveTool,
	LiveView,
	PartialAnswer,
	Spend,
} from "../../protocol/index.ts";
import { lastResult } from "./last-result.ts";
import { cutToBytes, jsonBytes, SHARE, tailToBytes } from "./sizes.ts";
import { answerParts, answerText, conversationIn, wireDiagnostics } from "./wire-entry.ts";

/** The most bytes of one call's running output that a view holds, however few calls there are. */
const MOST_OUTPUT = 64 * 1024;
/** A round of more calls than this shows the first of them. */
const MOST_TOOLS = 500;
const MOST_ERROR = 2048;

export type LiveFacts = {
	readonly run: LiveView["run"];
	/** How many retries there are after the first attempt. */
	readonly maxRetries: number;
	readonly startedAt: (task: TaskId) => number | undefined;
	readonly conversationOf: (task: TaskId) => ConversationId | undefined;
	/** What a subagent and those below it spent; the same object as long as it is the same. */
	readonly spendOf: (conversation: ConversationId) => Spend | undefined;
};

/** Running output by task id, as the harness shows it to watchers. */
export type ShownOutputs = Readonly<Record<string, unknown>>;

/** Projects `pi.live`. Parts that didn't change are the same objects as before. */
export function createLiveView() {
	const partial = lastResult(partialAnswer);
	const slots = new Map<string, typeof liveTool>();

	function tool(slot: ToolSlot, shown: ShownOutputs, count: number, facts: LiveFacts): LiveTool {
		const project = slots.get(slot.callId) ?? lastResult(liveTool);
		slots.set(slot.callId, project);
		const { taskId } = slot;
		if (taskId === undefined) return project(slot, slot.output ?? "", undefined, undefined, undefined, count);
		const view = shown[String(taskId)];
		const output = typeof view === "string" ? view : (slot.output ?? "");
		const subagent = facts.conversationOf(taskId) ?? conversationIn(slot.details);
		const spend = subagent === undefined ? undefined : facts.spendOf(subagent);
		return project(slot, output, facts.startedAt(taskId), subagent, spend, count);
	}

	function tools(live: LiveState, shown: ShownOutputs, facts: LiveFacts): LiveTool[] {
		const current = (live.tools ?? []).slice(0, MOST_TOOLS);
		if (current.length === 0) slots.clear();
		return current.map((slot) => tool(slot, shown, current.length, facts));
	}

	return {
		project(live: LiveState, shown: ShownOutputs, facts: LiveFacts): LiveView {
			const message = live.generation?.message;
			return {
				...(facts.run === undefined ? {} : { run: facts.run }),
				...(message === undefined ? {} : { partial: partial(message) }),
				...retryOf(live, facts.maxRetries),
				...waitingOf(live),
				...compactionOf(live),
				tools: tools(live, shown, facts),
			};
		},
	};
}

function partialAnswer(message: NonNullable<NonNullable<LiveState["generation"]>["message"]>): PartialAnswer {
	const answer = message as unknown as Parameters<typeof answerText>[0];
	const calls = answer.content.filter((part) => part.type === "toolCall").length;
	return {
		...cutToBytes(answerText(answer), SHARE.partialText),
		...answerParts(answer, {
			thinking: SHARE.partialThinking,
			arguments: Math.floor(SHARE.partialCalls / Math.max(calls, 8)),
		}),
	};
}

function retryOf({ generation }: LiveState, max: number): Pick<LiveView, "retry"> {
	if (generation?.retry === undefined) return {};
	return { retry: { attempt: generation.attempt, max, ...failedTry(generation.retry) } };
}

function waitingOf({ generation }: LiveState): Pick<LiveView, "waiting"> {
	return generation?.waiting === undefined ? {} : { waiting: shownWait(generation.waiting) };
}

function failedTry({ at, error }: { at: number; error: string }) {
	return { at, error: cutToBytes(error, MOST_ERROR).text, cause: failureCause(error) };
}

function shownWait(wait: StoredImposedWait | SlotWait): ImposedWait | { for: "slot" } {
	if (wait.reason === "slot") return { for: "slot" };
	const { reason, at, error } = wait;
	return { for: reason, until: at, error: cutToBytes(withoutDelay(error), MOST_ERROR).text };
}

/** The wait is shown as a time already. */
function withoutDelay(error: string): string {
	return error.replace(/^Server requested \d+s retry delay \(max: \d+s\)\.\s*/, "");
}

function compactionOf({ compactions }: LiveState): Pick<LiveView, "compaction"> {
	const current = compactions?.find(({ blocking }) => blocking) ?? compactions?.[0];
	if (current === undefined) return {};
	const { reason, blocking, retry, waiting } = current;
	return {
		compaction: {
			reason,
			blocking,
			...(retry === undefined ? {} : { retry: failedTry(retry) }),
			...(waiting === undefined ? {} : { waiting: shownWait(waiting) }),
		},
	};
}

/** @param count how many calls share the room there is */
function liveTool(
	slot: ToolSlot,
	output: string,
	startedAt: number | undefined,
	conversation: ConversationId | undefined,
	spend: Spend | undefined,
	count: number,
): LiveTool {
	const most = Math.min(MOST_OUTPUT, Math.floor(SHARE.toolOutputs / count));
	const shown = tailToBytes(output, most);
	const droppedBytes = shown.droppedBytes + (slot.droppedBytes ?? 0);
	const runner = runnerOf(slot.details);
	return {
		callId: slot.callId,
		name: slot.name,
		status: slot.status,
		...(startedAt === undefined ? {} : { startedAt }),
		output: shown.text,
		...(droppedBytes === 0 ? {} : { droppedBytes }),
		...detailsOf(slot.details, Math.floor(SHARE.toolDetails / 2 / count)),
		...(slot.diagnostics === undefined
			? {}
			: { diagnostics: wireDiagnostics(slot.diagnostics, Math.floor(SHARE.toolDetails / 2 / count)) }),
		...(runner === undefined ? {} : { runner }),
		...(conversation === undefined ? {} : { conversation: String(conversation) }),
		...(spend === undefined ? {} : { spend }),
	};
}

/** Left out when they are long; the result's entry has them. */
function detailsOf(details: JsonValue | undefined, most: number): { details?: JsonValue } {
	return details === undefined || jsonBytes(details) > most ? {} : { details };
}

/** A tool that runs a command states its runner's process in its running details, as `bash` does. */
function runnerOf(details: JsonValue | undefined): number | undefined {
	const runner = (details as JsonObject | null | undefined)?.runner;
	return typeof runner === "number" ? runner : undefined;
}

import type { Context } from "@earendil-works/chord";
import { withAbortSignal } from "@earendil-works/chord/context";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import {
	AssistantEntry,
	type ConversationHandle,
	type ConversationId,
	type EntryRecord,
	type SettledSubmissionRecord,
	type TaskId,
	type ToolExecutionApi,
	type Tx,
} from "../../durable/index.ts";
import { withoutAbsence } from "./budget.ts";
import { SubagentDoc, type SubagentState } from "./document.ts";
import { followSpend, type SpendSource } from "./spend.ts";

/** Of a running call, or of a background task, what it takes to see a subagent through. */
export type Driver = Pick<ToolExecutionApi, "conversation" | "snapshot" | "now" | "sleep"> & {
	/** The owner of the subagent's conversation. */
	readonly taskId: TaskId;
	commit<T>(change: (tx: Tx) => Promise<T>, context: Context): Promise<T>;
};

/** How a subagent's task ended. `said` is the last it said; empty when it said nothing. */
export type Ended =
	| { readonly kind: "answered"; readonly said: string }
	| { readonly kind: "stopped"; readonly by: "cost" | "time" | "someone"; readonly said: string }
	| { readonly kind: "failed"; readonly reason: string; readonly said: string };

const LOOKED_AT = 50;

/**
 * Gives a subagent its task, once in however many processes, and waits for its answer. When its budget is used up it is
 * stopped, with everything below it; that is decided in a commit of its own first.
 */
export async function seeThrough(
	child: ConversationId,
	prompt: string,
	driver: Driver,
	source: SpendSource,
	context: Context,
): Promise<Ended> {
	await countNoAbsence(child, driver, context);
	const conversation = await driver.conversation(child, context);
	if (conversation === undefined) throw new Error(`The subagent's conversation ${child} is gone.`);
	const request = { type: "input", content: prompt, requestId: `subagent:${driver.taskId}` } as const;
	const submission = await conversation.submit(request, context);
	const settled = submission.wait(context);
	// It is awaited below; a failure meanwhile is not left unheard.
	settled.catch(() => {});
	const limit = new AbortController();
	try {
		const over = settled.then(() => undefined);
		const used = await Promise.race([
			over,
			usedUp(child, driver, source, withAbortSignal(limit.signal, context)),
		]);
		if (used !== undefined) await stop(child, used, conversation, driver, context);
	} finally {
		limit.abort(new DOMException("The subagent has ended.", "AbortError"));
	}
	return endOf(child, await settled, driver, context);
}

/** In the next process: time between its newest entry and now is not the subagent's. */
async function countNoAbsence(child: ConversationId, driver: Driver, context: Context): Promise<void> {
	await driver.commit(async (tx) => {
		const [newest] = (await tx.scanEntries({ conversationId: child }, 1)).items;
		if (newest === undefined) return;
		const state = (await tx.doc(SubagentDoc, child)) as SubagentState;
		if (state.budget !== undefined)
			state.budget = withoutAbsence({ ...state.budget }, driver.now() - newest.at);
	}, context);
}

/** Resolves with the part of the budget that is used up first; never when there is no budget. */
async function usedUp(
	child: ConversationId,
	driver: Driver,
	source: SpendSource,
	context: Context,
): Promise<"cost" | "time"> {
	const state = (await driver.snapshot(SubagentDoc, child, context)) as SubagentState | undefined;
	if (state?.stopped !== undefined) return state.stopped.by;
	const { promise, resolve, reject } = Promise.withResolvers<"cost" | "time">();
	// Nobody waits for it any more once the subagent has ended.
	promise.catch(() => {});
	if (state?.budget === undefined) return promise;
	const { cost, until, timeMs } = state.budget;
	const stopFollowing = await followSpend(
		source,
		child,
		(spent) => spent >= cost && resolve("cost"),
		context,
	);
	context.abortSignal?.addEventListener("abort", stopFollowing, { once: true });
	if (context.abortSignal?.aborted === true) stopFollowing();
	driver.sleep(until, context, timeMs).then(() => resolve("time"), reject);
	return promise;
}

async function stop(
	child: ConversationId,
	by: "cost" | "time",
	conversation: ConversationHandle,
	driver: Driver,
	context: Context,
): Promise<void> {
	await driver.commit(async (tx) => {
		const state = (await tx.doc(SubagentDoc, child)) as SubagentState;
		state.stopped ??= { by, at: driver.now() };
	}, context);
	await conversation.abort(context);
}

async function endOf(
	child: ConversationId,
	settled: SettledSubmissionRecord,
	driver: Driver,
	context: Context,
): Promise<Ended> {
	if (settled.status === "done" && settled.type === "input") {
		const { answer } = settled;
		const entry = await driver.commit((tx) => tx.entry(AssistantEntry, answer), context);
		return { kind: "answered", said: textOf(entry) };
	}
	const said = await lastSaid(child, driver, context);
	const reason = settled.status === "unanswered" ? settled.reason : "no answer";
	if (reason !== "aborted") return { kind: "failed", reason: detailed(reason, settled), said };
	const state = (await driver.snapshot(SubagentDoc, child, context)) as SubagentState | undefined;
	return { kind: "stopped", by: state?.stopped?.by ?? "someone", said };
}

function detailed(reason: string, settled: SettledSubmissionRecord): string {
	const detail = settled.status === "unanswered" ? settled.detail : undefined;
	return typeof detail === "string" ? `${reason}: ${detail}` : reason;
}

async function lastSaid(child: ConversationId, driver: Driver, context: Context): Promise<string> {
	const entries = await driver.commit(
		async (tx) => (await tx.scanEntries({ conversationId: child }, LOOKED_AT)).items,
		context,
	);
	return entries.map(textOf).find((text) => text !== "") ?? "";
}

/** The words of an answer; empty for every other entry. */
function textOf(entry: Pick<EntryRecord, "model"> | undefined): string {
	const message = entry?.model?.[0] as AssistantMessage | undefined;
	if (message?.role !== "assistant") return "";
	return message.content
		.flatMap((part) => (part.type === "text" ? [part.text] : []))
		.join("\n\n")
		.trim();
}

import type { Context } from "@earendil-works/chord";
import { withAbortSignal } from "@earendil-works/chord/context";
import { AgentDoc } from "../harness/built-in-documents.ts";
import { liveOf } from "../harness/run.ts";
import type { AgentState } from "../types/agent.ts";
import { at, type GenerationRuntime, type GenerationTaskIn } from "./outcome.ts";
import { findModel } from "./prepare.ts";
import { carriedOn } from "./token.ts";

/**
 * Waits until the stored deadline, or until something makes a try worth while before it, then prepares anew: what was
 * changed meanwhile applies.
 */
export async function retry(
	task: GenerationTaskIn<"retry">,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	await sleepUntilWorthATry(task.state.checkpoint, runtime, context);
	await runtime.commit(async (tx, current) => {
		// A person who doesn't want to wait has changed it in the meantime.
		const waited = current.state.checkpoint as RetryCheckpoint;
		const carried = carriedOn(waited);
		const live = await liveOf(tx, runtime.conversationId);
		live.generation = { attempt: carried.attempt };
		return at({
			phase: "prepare",
			...carried,
			...(waited.limit === undefined ? {} : { waitedFor: waited.limit }),
			...(waited.offline === undefined ? {} : { offline: withWait(waited.offline, waited, runtime.now()) }),
		});
	}, context);
}

type RetryCheckpoint = GenerationTaskIn<"retry">["state"]["checkpoint"];

/** Counts a wait that is over, which may have been cut short. */
function withWait(
	{ waits, waitedMs }: NonNullable<RetryCheckpoint["offline"]>,
	{ until, lengthMs }: RetryCheckpoint,
	now: number,
): RetryCheckpoint["offline"] {
	const lasted = Math.min(lengthMs, Math.max(0, now - (until - lengthMs)));
	return { waits, waitedMs: waitedMs + lasted };
}

/** Until the deadline, the network's return when that is what it waits for, or the choice of another model. */
async function sleepUntilWorthATry(
	{ until, lengthMs, offline, model }: RetryCheckpoint,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	const worthATry = new AbortController();
	const lookAtChoice = (agent: AgentState | null) => {
		const chosen = findModel(runtime, agent?.model);
		const isAnother = chosen?.provider !== model?.provider || chosen?.id !== model?.modelId;
		if (model !== undefined && chosen !== undefined && isAnother) worthATry.abort();
	};
	const choice = await runtime.watchDoc(AgentDoc, runtime.conversationId, context);
	lookAtChoice((choice?.value ?? null) as AgentState | null);
	choice?.start(async (agent) => lookAtChoice(agent as AgentState | null));
	const unsubscribe = runtime.network?.subscribe((event) => {
		if (offline !== undefined && event !== "lost") worthATry.abort();
	});
	try {
		await runtime.sleep(until, withAbortSignal(worthATry.signal, context), lengthMs);
	} catch (error) {
		if (!worthATry.signal.aborted || runtime.signal.aborted) throw error;
	} finally {
		unsubscribe?.();
		await choice?.stop();
	}
}

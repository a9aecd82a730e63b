import type { Context } from "@earendil-works/chord";
import { withAbortSignal } from "@earendil-works/chord/context";
import { AgentDoc } from "../harness/built-in-documents.ts";
import type { AgentState, ModelRef } from "../types/agent.ts";
import type { Attempts, StoredWait } from "./attempts.ts";
import type { WaitingRuntime } from "./waits.ts";

/**
 * Sleeps until a stored deadline, or until something makes a try worth while before it: a person who tries now, the
 * network's return when that is what is waited for, or the choice of another model than the one it is for.
 */
export async function waitUntilWorthATry(
	{ until, lengthMs, offline, model }: Attempts & StoredWait & { readonly model?: ModelRef },
	runtime: WaitingRuntime,
	context: Context,
): Promise<void> {
	const worthATry = new AbortController();
	const lookAtChoice = (agent: AgentState | null) => {
		const chosen = agent?.model && runtime.models.getModel(agent.model.provider, agent.model.modelId);
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

import type { Context } from "@earendil-works/chord";
import { liveOf } from "../harness/run.ts";
import type { ModelRef } from "../types/agent.ts";
import type { AccountLimit } from "../types/limits.ts";
import { at, type GenerationRuntime, type GenerationTaskIn } from "./outcome.ts";
import { limitWait } from "./waits.ts";

/**
 * Another session has met a limit of this account: this one waits with it and sends nothing. False when there is none,
 * or none newer than the one it has waited for.
 */
export async function waitForAccount(
	task: GenerationTaskIn<"prepare">,
	model: ModelRef,
	runtime: GenerationRuntime,
	context: Context,
): Promise<boolean> {
	const { checkpoint } = task.state;
	const { provider } = model;
	if (limitAhead(provider, checkpoint.waitedFor, runtime) === undefined) return false;
	let waits = false;
	await runtime.commit(async (tx) => {
		const ahead = limitAhead(provider, checkpoint.waitedFor, runtime);
		// The last one that waited for it may just have been stopped; the next commit of this phase goes on.
		if (ahead === undefined) return undefined;
		waits = true;
		const waiting = { carried: checkpoint, model };
		const wait = limitWait(waiting, ahead.limit, checkpoint.resumptions ?? 0, ahead.leftMs, runtime);
		const live = await liveOf(tx, runtime.conversationId);
		live.generation = wait.generation;
		return at(wait.checkpoint);
	}, context);
	return waits;
}

function limitAhead(provider: string, waitedFor: AccountLimit | undefined, runtime: GenerationRuntime) {
	const known = runtime.limits.of(provider);
	if (known === undefined) return undefined;
	if (waitedFor?.provider === provider && waitedFor.until >= known.limit.until) return undefined;
	const leftMs = Math.min(known.limit.until - runtime.now(), known.longestMs);
	return leftMs > 0 ? { limit: known.limit, leftMs } : undefined;
}

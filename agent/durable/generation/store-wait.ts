import type { Context } from "@earendil-works/chord";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { appendAssistant, liveOf } from "../harness/run.ts";
import type { Wait, Waiting } from "../model-request/waits.ts";
import { at, type GenerationRuntime } from "./outcome.ts";
import { type CarriedOn, carriedOn } from "./token.ts";

/**
 * Stores and shows what a run waits for, with the attempt that failed, if any. False, and nothing is stored, when
 * `decide`, called in the commit, finds nothing to wait for.
 */
export async function storeWait(
	{ tried, model }: Waiting & { readonly tried: CarriedOn },
	decide: () => Wait | undefined,
	runtime: GenerationRuntime,
	context: Context,
	failed?: AssistantMessage,
): Promise<boolean> {
	let waits = false;
	await runtime.commit(async (tx) => {
		const wait = decide();
		if (wait === undefined) return undefined;
		waits = true;
		if (failed !== undefined) await appendAssistant(tx, runtime.conversationId, failed);
		const live = await liveOf(tx, runtime.conversationId);
		live.generation = { attempt: tried.attempt, ...wait.shown };
		const { compacted } = carriedOn(tried);
		return at({
			phase: "retry",
			...wait.stored,
			...(compacted === undefined ? {} : { compacted }),
			model,
		});
	}, context);
	return waits;
}

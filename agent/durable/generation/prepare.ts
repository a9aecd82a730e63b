import type { Context } from "@earendil-works/chord";
import type { Api, Model, Tool } from "@earendil-works/pi-ai";
import { startCompaction } from "../compaction/status.ts";
import { neededCompaction } from "../compaction/thresholds.ts";
import { ProviderDoc } from "../harness/built-in-documents.ts";
import { endRun, liveOf } from "../harness/run.ts";
import { waitForAccount } from "../model-request/waits.ts";
import type { AnyRuntime } from "../tasks/definitions.ts";
import type { ModelRef } from "../types/agent.ts";
import type { EntryId } from "../types/ids.ts";
import { compactFirst, endUncompacted, waitedForBy, whyNoRoom } from "./compacting.ts";
import { at, failed, type GenerationRuntime, type GenerationTaskIn } from "./outcome.ts";
import { renderSections } from "./render-sections.ts";
import { storeWait } from "./store-wait.ts";
import { planSystemEntries } from "./system-prompt.ts";
import { carriedOn } from "./token.ts";

/** A compaction that nobody waits for, and that goes on when a run is stopped. */
const IN_BACKGROUND = { ownership: { kind: "conversation" }, background: true } as const;

/** Fixes the next request: prompt and tools go into the transcript, model and options into the checkpoint. */
export async function prepare(
	task: GenerationTaskIn<"prepare">,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	const { conversationId } = runtime;
	const { compacted, overflow } = task.state.checkpoint;
	if (overflow !== undefined && compacted !== undefined) {
		const why = await whyNoRoom(compacted, runtime, context);
		if (why !== undefined) return endUncompacted(why, overflow, runtime, context);
	}
	const agent = await runtime.agent(context);
	const settings = runtime.settings;
	const model = findModel(runtime, agent.model);
	if (model === undefined) return failWithoutModel(runtime, agent.model, context);
	const ref = { provider: model.provider, modelId: model.id };
	const carried = carriedOn(task.state.checkpoint);
	const waiting = { tried: carried, model: ref };
	const mustWait = () => waitForAccount(waiting, runtime);
	if (mustWait() !== undefined && (await storeWait(waiting, mustWait, runtime, context))) return;
	const view = await runtime.context(conversationId, context);
	const sections = await renderSections(agent, view.messages, runtime as unknown as AnyRuntime, context);
	const drafts = planSystemEntries(view, sections, agent.tools as readonly Tool[], runtime.now());
	const needed =
		carried.compacted === undefined
			? neededCompaction(view, drafts, model.contextWindow, settings.compaction)
			: undefined;
	if (needed === "blocking") return compactFirst(carried, runtime, context);
	await runtime.commit(async (tx) => {
		let cutoff = view.entries.at(-1)?.id as EntryId;
		for (const draft of drafts) cutoff = (await tx.appendEntry(conversationId, draft)).id;
		await tx.doc(ProviderDoc, conversationId);
		const live = await liveOf(tx, conversationId);
		live.generation = { attempt: carried.attempt };
		if (needed === "background" && live.compactions === undefined)
			await startCompaction(
				tx,
				conversationId,
				{ reason: "threshold", ...waitedForBy(carried) },
				IN_BACKGROUND,
			);
		return at({
			phase: "request",
			...carried,
			model: ref,
			thinkingLevel: agent.thinkingLevel,
			streamOptions: settings.stream,
			cutoff: newestOf(view.head?.id, cutoff),
		});
	}, context);
}

/** A head marker leads its context but may be newer than the entries it keeps. */
function newestOf(head: EntryId | undefined, tail: EntryId): EntryId {
	return head !== undefined && head > tail ? head : tail;
}

export function findModel(runtime: GenerationRuntime, ref: ModelRef | undefined): Model<Api> | undefined {
	return ref === undefined ? undefined : runtime.models.getModel(ref.provider, ref.modelId);
}

/** The run can't go on without a model; what it would need is said in the detail. */
export async function failWithoutModel(
	runtime: GenerationRuntime,
	ref: ModelRef | undefined,
	context: Context,
): Promise<void> {
	const detail =
		ref === undefined
			? "No model is chosen. Choose one and send the message again."
			: `Model ${ref.provider}/${ref.modelId} isn't available. Choose another one and send the message again.`;
	await runtime.commit(async (tx) => {
		await endRun(tx, runtime.conversationId, { status: "unanswered", reason: "no_model", detail });
		return failed(detail);
	}, context);
}

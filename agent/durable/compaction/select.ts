import type { Context } from "@earendil-works/chord";
import type { Api, Model } from "@earendil-works/pi-ai";
import { ProviderDoc } from "../harness/built-in-documents.ts";
import type { ModelRef } from "../types/agent.ts";
import type { ContextView } from "../types/context-view.ts";
import type { EntryId } from "../types/ids.ts";
import { endWithout, fail } from "./outcome.ts";
import { placeSummary } from "./place.ts";
import { type CompactionRange, selectRange } from "./range.ts";
import { lengthOfSummary } from "./summary-length.ts";
import type { CompactionInput, CompactionRuntime, CompactionTaskIn } from "./token.ts";

/** Chooses what to summarize and fixes the request for it, unless there is nothing to do or a hook decides. */
export async function select(
	task: CompactionTaskIn<"select">,
	runtime: CompactionRuntime,
	context: Context,
): Promise<void> {
	const { conversationId, settings } = runtime;
	const { waitedFor } = task.input;
	const agent = await runtime.agent(context);
	const model = findModel(runtime, agent.model);
	if (model === undefined) return fail(runtime, "no_model", missingModel(agent.model), context);
	const view = await runtime.context(conversationId, context);
	const range = selectRange(view, settings.compaction.keepRecentTokens, task.input.reason);
	if (range === undefined) return endWithout(runtime, context);
	const decision = await askHooks(task.input, range, runtime, context);
	if (decision !== undefined && "decline" in decision) return endWithout(runtime, context);
	if (decision !== undefined) return placeSummary(task, decision.summary, range.firstKept, runtime, context);
	await runtime.commit(async (tx) => {
		await tx.doc(ProviderDoc, conversationId);
		return {
			status: "running",
			checkpoint: {
				phase: "summarize",
				attempt: 1,
				...(waitedFor === undefined ? {} : { waitedFor }),
				model: { provider: model.provider, modelId: model.id },
				thinkingLevel: agent.thinkingLevel,
				streamOptions: settings.stream,
				maxTokens: lengthOfSummary(settings.compaction.reserveTokens, model),
				tail: newestOf(view),
				firstKept: range.firstKept,
			},
		};
	}, context);
}

type Decision = { readonly decline: true } | { readonly summary: string };

/** The first hook that decides wins. */
async function askHooks(
	{ reason, instructions }: CompactionInput,
	{ entries, messages, firstKept }: CompactionRange,
	runtime: CompactionRuntime,
	context: Context,
): Promise<Decision | undefined> {
	const compaction = {
		reason,
		entries,
		messages,
		firstKept,
		...(instructions === undefined ? {} : { instructions }),
	};
	let decision: Decision | undefined;
	await runtime.hooks.each("beforeCompact", async (handler) => {
		if (decision === undefined) decision = (await handler(compaction, runtime, context)) ?? undefined;
	});
	return decision;
}

/** A head marker leads its context but may be newer than the entries it keeps. */
function newestOf({ entries }: ContextView): EntryId {
	return Math.max(...entries.map(({ id }) => id)) as EntryId;
}

export function findModel(runtime: CompactionRuntime, ref: ModelRef | undefined): Model<Api> | undefined {
	return ref === undefined ? undefined : runtime.models.getModel(ref.provider, ref.modelId);
}

export function missingModel(ref: ModelRef | undefined): string {
	return ref === undefined
		? "No model is chosen that could write a summary. Choose one and compact again."
		: `Model ${ref.provider}/${ref.modelId} isn't available to write a summary. Choose another one and compact again.`;
}

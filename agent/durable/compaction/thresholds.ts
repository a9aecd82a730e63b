import type { AssistantMessage } from "@earendil-works/pi-ai";
import { calculateContextTokens, estimateMessageTokens } from "@earendil-works/pi-ai/utils/estimate";
import { isFailed } from "../harness/context-derivation.ts";
import type { CompactionPolicy } from "../types/agent.ts";
import type { ContextView } from "../types/context-view.ts";
import type { EntryDraft } from "../types/entries.ts";
import { selectRange } from "./range.ts";

/**
 * What the next request needs: `blocking` when only `reserveTokens` are left for the answer, `background` when it is
 * time to begin, undefined when all is well or there is nothing to compact. `planned` are system entries to come.
 */
export function neededCompaction(
	view: ContextView,
	planned: readonly EntryDraft[],
	contextWindow: number,
	policy: CompactionPolicy,
): "blocking" | "background" | undefined {
	if (!policy.enabled || contextWindow <= 0) return undefined;
	const room = contextWindow - policy.reserveTokens - estimateTokens(view, planned);
	const blocks = room < 0;
	const begins = policy.backgroundTokens > 0 && room < policy.backgroundTokens;
	if (!blocks && !begins) return undefined;
	if (selectRange(view, policy.keepRecentTokens, "threshold") === undefined) return undefined;
	return blocks ? "blocking" : "background";
}

/**
 * The size of the next request in tokens: what the provider counted for the newest answer of this context, and an
 * estimate of what came since. An answer from before the newest head counted a context that is gone.
 */
function estimateTokens(view: ContextView, planned: readonly EntryDraft[]): number {
	let tokens = 0;
	for (const message of planned.flatMap(({ model }) => model ?? [])) tokens += estimateMessageTokens(message);
	for (let index = view.entries.length - 1; index >= 0; index--) {
		const isOfThisContext = view.head === undefined || view.entries[index]!.id > view.head.id;
		for (const message of view.contributions[index]!.toReversed()) {
			if (message.role === "assistant" && isFailed(message)) continue;
			if (message.role === "assistant" && isOfThisContext && countedBy(message) > 0)
				return tokens + countedBy(message);
			tokens += estimateMessageTokens(message);
		}
	}
	return tokens;
}

function countedBy({ usage }: AssistantMessage): number {
	return calculateContextTokens(usage);
}

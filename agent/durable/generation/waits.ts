import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { ConversationRetryPolicy } from "../types/agent.ts";

export type ImposedWait = { readonly reason: "limit" | "network"; readonly lengthMs: number };

/** pi-ai's words for a `retry-after` that is longer than a request may wait by itself (`provider-retry`). */
const REQUESTED_DELAY = /Server requested (\d+)s retry delay/;

/**
 * A wait that the provider imposes and that isn't the run's fault, so it spends no attempt: a `retry-after` longer
 * than the retry policy would ever wait. Undefined for every other failure.
 */
export function imposedWait(
	response: AssistantMessage,
	policy: ConversationRetryPolicy,
): ImposedWait | undefined {
	const seconds = REQUESTED_DELAY.exec(response.errorMessage ?? "")?.[1];
	if (seconds === undefined) return undefined;
	const lengthMs = Number(seconds) * 1_000;
	return lengthMs > (policy.maxAgentDelayMs ?? 60_000) ? { reason: "limit", lengthMs } : undefined;
}

import { type AssistantMessage, isRetryableAssistantError, retryDelayMs } from "@earendil-works/pi-ai";
import type { ConversationRetryPolicy, ModelRef } from "../types/agent.ts";
import type { AccountLimit } from "../types/limits.ts";
import type { LiveState } from "../types/live.ts";
import { isNetworkFailure } from "./network-failure.ts";
import type { GenerationRuntime } from "./outcome.ts";
import { type CarriedOn, carriedOn, type GenerationCheckpoint } from "./token.ts";

/** The run's checkpoint when the wait is decided, and what the request was for. */
export type Waiting = { readonly carried: CarriedOn; readonly model: ModelRef };

/** What the run waits as, and how it goes on. */
export type Wait = {
	readonly checkpoint: Extract<GenerationCheckpoint, { phase: "retry" }>;
	readonly generation: NonNullable<LiveState["generation"]>;
};

/** The first wait for the network, in ms; each further one is twice as long. */
const FIRST_NETWORK_WAIT_MS = 5_000;
const LONGEST_NETWORK_WAIT_MS = 5 * 60_000;
/** How long a run waits for the network all together, in ms. */
const PATIENCE_MS = 24 * 3_600_000;

/** Sessions of an account go on this much apart once its limit is over, in ms. */
const STAGGER_MS = 2_000;

/** pi-ai's words for a `retry-after` that is longer than a request may wait by itself (`provider-retry`). */
const REQUESTED_DELAY = /Server requested (\d+)s retry delay/;

/** How long the provider asks to wait, when that is longer than the retry policy would ever wait; in ms. */
export function imposedWait(response: AssistantMessage, policy: ConversationRetryPolicy): number | undefined {
	const lengthMs = requestedDelayMs(response);
	return lengthMs !== undefined && lengthMs > (policy.maxAgentDelayMs ?? 60_000) ? lengthMs : undefined;
}

function requestedDelayMs({ errorMessage = "" }: AssistantMessage): number | undefined {
	const seconds = REQUESTED_DELAY.exec(errorMessage)?.[1];
	return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

/** Whether the network may be the reason: there was no answer to the request, and the network is away or was disturbed. */
export async function networkMayBeToBlame(
	response: AssistantMessage,
	baseUrl: string,
	runtime: Pick<GenerationRuntime, "network">,
): Promise<boolean> {
	if (runtime.network === undefined || !isNetworkFailure(response.errorMessage ?? "", baseUrl)) return false;
	return runtime.network.mayBeToBlame();
}

/**
 * The wait for an account's limit, together with every other session of it: until the same time, and some seconds
 * apart. To be called in the commit that stores it, which is what makes the sessions' places differ.
 */
export function limitWait(
	{ carried, model }: Waiting,
	limit: AccountLimit,
	resumptions: number,
	leftMs: number,
	runtime: GenerationRuntime,
): Wait {
	const { waiting = 0 } = runtime.limits.of(limit.provider) ?? {};
	const lengthMs = leftMs + waiting * STAGGER_MS;
	const { offline: _, resumptions: __, ...rest } = carriedOn(carried);
	return {
		checkpoint: {
			phase: "retry",
			...rest,
			...(resumptions === 0 ? {} : { resumptions }),
			until: runtime.now() + lengthMs,
			lengthMs,
			limit,
			model,
		},
		generation: {
			attempt: carried.attempt,
			waiting: { reason: "limit", at: limit.until, error: limit.error, resumptions },
		},
	};
}

/** The next wait for the network; undefined once a day of them was in vain. */
export function networkWait({ carried, model }: Waiting, error: string, now: number): Wait | undefined {
	const { waits, waitedMs } = carried.offline ?? { waits: 0, waitedMs: 0 };
	if (waitedMs >= PATIENCE_MS) return undefined;
	const lengthMs = Math.min(FIRST_NETWORK_WAIT_MS * 2 ** Math.min(waits, 10), LONGEST_NETWORK_WAIT_MS);
	const { attempt, resumptions = 0 } = carried;
	return {
		checkpoint: {
			phase: "retry",
			...carriedOn(carried),
			offline: { waits: waits + 1, waitedMs },
			until: now + lengthMs,
			lengthMs,
			model,
		},
		generation: { attempt, waiting: { reason: "network", at: now + lengthMs, error, resumptions } },
	};
}

/** The wait before the next attempt; undefined when the policy allows none, or another attempt can't help. */
export function retryWait(
	{ carried, model }: Waiting,
	response: AssistantMessage,
	error: string,
	runtime: GenerationRuntime,
): Wait | undefined {
	const { retry } = runtime.settings;
	const { attempt } = carried;
	if (!retry.enabled || attempt > retry.maxRetries || !isRetryableAssistantError(response)) return undefined;
	// A shorter `retry-after` than the policy's own wait changes nothing; a longer one is kept to.
	const lengthMs = Math.max(retryDelayMs(retry, attempt), requestedDelayMs(response) ?? 0);
	const until = runtime.now() + lengthMs;
	const { offline: _, ...rest } = carriedOn(carried);
	return {
		checkpoint: { phase: "retry", ...rest, attempt: attempt + 1, until, lengthMs, model },
		generation: { attempt, retry: { at: until, error } },
	};
}

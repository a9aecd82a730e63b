import { type AssistantMessage, isRetryableAssistantError, retryDelayMs } from "@earendil-works/pi-ai";
import type { ConversationRetryPolicy, ModelRef } from "../types/agent.ts";
import type { AccountLimit } from "../types/limits.ts";
import type { ImposedWait } from "../types/live.ts";
import type { TaskRuntime } from "../types/tasks.ts";
import { type Attempts, attemptsOf, type StoredWait } from "./attempts.ts";
import { isNetworkFailure } from "./network-failure.ts";

/** What of a task's runtime its waits need. */
export type WaitingRuntime = Pick<
	TaskRuntime<never, never, never, object>,
	"conversationId" | "limits" | "models" | "network" | "now" | "settings" | "signal" | "sleep" | "watchDoc"
>;

/** A request that can't go out now, or failed: how often it was tried, and the model it is for. */
export type Waiting = { readonly tried: Attempts; readonly model: ModelRef };

/** What a task waits for before the next try: for its checkpoint, and for everyone to see. */
export type Wait = {
	readonly stored: Attempts & StoredWait;
	readonly shown: { readonly retry: { at: number; error: string } } | { readonly waiting: ImposedWait };
};

/** Where a request went, and how it failed. */
export type FailedRequest = {
	readonly response: AssistantMessage;
	/** Empty when only the provider knows. */
	readonly baseUrl: string;
	/** It was given up because nothing came while the network was away. */
	readonly isNetworksFault: boolean;
};

/** The first wait for the network, in ms; each further one is twice as long. */
const FIRST_NETWORK_WAIT_MS = 5_000;
const LONGEST_NETWORK_WAIT_MS = 5 * 60_000;
/** How long a request waits for the network all together, in ms. */
const PATIENCE_MS = 24 * 3_600_000;

/** Conversations of an account go on this much apart once its limit is over, in ms. */
const STAGGER_MS = 2_000;

/** pi-ai's words for a `retry-after` that is longer than a request may wait by itself (`provider-retry`). */
const REQUESTED_DELAY = /Server requested (\d+)s retry delay/;

/**
 * What a failed request waits for: the account's limit, the network, or its turn by the retry policy; undefined when no
 * other try is due. To be called in the commit that stores the wait, as the conversations of an account get different
 * places.
 */
export async function waitAfter(
	waiting: Waiting,
	{ response, baseUrl, isNetworksFault }: FailedRequest,
	runtime: WaitingRuntime,
): Promise<(() => Wait) | undefined> {
	const error = response.errorMessage ?? "The model failed without saying why.";
	const imposedMs = imposedMsOf(response, runtime.settings.retry);
	if (imposedMs !== undefined) {
		const { resumptions = 0 } = waiting.tried;
		if (resumptions >= runtime.settings.retry.maxResumptions) return undefined;
		return () => newLimitWait(waiting, { provider: response.provider, error }, imposedMs, runtime);
	}
	const wait =
		isNetworksFault || (await networkMayBeToBlame(error, baseUrl, runtime))
			? networkWait(waiting, error, runtime.now())
			: retryWait(waiting, response, error, runtime);
	return wait && (() => wait);
}

/**
 * The wait for a limit that another conversation has met of this account; undefined when there is none, or none newer
 * than the one that was waited for. To be called in the commit that stores it.
 */
export function waitForAccount({ tried, model }: Waiting, runtime: WaitingRuntime): Wait | undefined {
	const { provider } = model;
	const { waitedFor, resumptions = 0 } = tried;
	const known = runtime.limits.of(provider);
	if (known === undefined) return undefined;
	if (waitedFor?.provider === provider && waitedFor.until >= known.limit.until) return undefined;
	const leftMs = Math.min(known.limit.until - runtime.now(), known.longestMs);
	return leftMs > 0 ? limitWait(tried, known.limit, resumptions, leftMs, runtime) : undefined;
}

/** How long the provider asks to wait, when that is longer than the retry policy would ever wait; in ms. */
function imposedMsOf(response: AssistantMessage, policy: ConversationRetryPolicy): number | undefined {
	const lengthMs = requestedDelayMs(response);
	return lengthMs !== undefined && lengthMs > (policy.maxAgentDelayMs ?? 60_000) ? lengthMs : undefined;
}

function requestedDelayMs({ errorMessage = "" }: AssistantMessage): number | undefined {
	const seconds = REQUESTED_DELAY.exec(errorMessage)?.[1];
	return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

/** Whether the network may be the reason: there was no answer to the request, and the network is away or was disturbed. */
async function networkMayBeToBlame(
	error: string,
	baseUrl: string,
	{ network }: WaitingRuntime,
): Promise<boolean> {
	if (network === undefined || !isNetworkFailure(error, baseUrl)) return false;
	return network.mayBeToBlame();
}

/** The account's conversations wait together until the time given; each goes on by itself a few times at most. */
function newLimitWait(
	{ tried }: Waiting,
	{ provider, error }: Omit<AccountLimit, "until">,
	imposedMs: number,
	runtime: WaitingRuntime,
): Wait {
	const now = runtime.now();
	const known = runtime.limits.of(provider)?.limit;
	// One that another conversation was just told of, with another second in it.
	const isSame = known !== undefined && known.until > now && Math.abs(known.until - now - imposedMs) < 60_000;
	const limit = isSame ? known : { provider, until: now + imposedMs, error };
	const leftMs = Math.min(imposedMs, limit.until - now);
	return limitWait(tried, limit, (tried.resumptions ?? 0) + 1, leftMs, runtime);
}

/** Together with every other conversation of the account: until the same time, and some seconds apart. */
function limitWait(
	tried: Attempts,
	limit: AccountLimit,
	resumptions: number,
	leftMs: number,
	runtime: WaitingRuntime,
): Wait {
	const { waiting = 0 } = runtime.limits.of(limit.provider) ?? {};
	const lengthMs = leftMs + waiting * STAGGER_MS;
	const { offline: _, resumptions: __, ...rest } = attemptsOf(tried);
	return {
		stored: {
			...rest,
			...(resumptions === 0 ? {} : { resumptions }),
			until: runtime.now() + lengthMs,
			lengthMs,
			limit,
		},
		shown: { waiting: { reason: "limit", at: limit.until, error: limit.error, resumptions } },
	};
}

/** The next wait for the network; undefined once a day of them was in vain. */
function networkWait({ tried }: Waiting, error: string, now: number): Wait | undefined {
	const { waits, waitedMs } = tried.offline ?? { waits: 0, waitedMs: 0 };
	if (waitedMs >= PATIENCE_MS) return undefined;
	const lengthMs = Math.min(FIRST_NETWORK_WAIT_MS * 2 ** Math.min(waits, 10), LONGEST_NETWORK_WAIT_MS);
	const { resumptions = 0 } = tried;
	const offline = { waits: waits + 1, waitedMs };
	return {
		stored: { ...attemptsOf(tried), offline, until: now + lengthMs, lengthMs },
		shown: { waiting: { reason: "network", at: now + lengthMs, error, resumptions } },
	};
}

/** The wait before the next attempt; undefined when the policy allows none, or another attempt can't help. */
function retryWait(
	{ tried }: Waiting,
	response: AssistantMessage,
	error: string,
	runtime: WaitingRuntime,
): Wait | undefined {
	const { retry } = runtime.settings;
	const { attempt } = tried;
	if (!retry.enabled || attempt > retry.maxRetries || !isRetryableAssistantError(response)) return undefined;
	// A shorter `retry-after` than the policy's own wait changes nothing; a longer one is kept to.
	const lengthMs = Math.max(retryDelayMs(retry, attempt), requestedDelayMs(response) ?? 0);
	const until = runtime.now() + lengthMs;
	const { offline: _, ...rest } = attemptsOf(tried);
	return {
		stored: { ...rest, attempt: attempt + 1, until, lengthMs },
		shown: { retry: { at: until, error } },
	};
}

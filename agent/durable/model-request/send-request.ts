import type { Api, AssistantMessage, Message, Model, Models } from "@earendil-works/pi-ai";
import type { Clock } from "../clock.ts";
import type { Network } from "../types/network.ts";
import type { RequestOptions } from "../types/request-options.ts";
import { emptyAnswer } from "./empty-answer.ts";
import { isThisMachine } from "./network-failure.ts";
import { type Drop, watchRequest } from "./silence.ts";

type Around = {
	readonly models: Models;
	readonly clock: Clock;
	readonly network: Network | undefined;
	readonly signal: AbortSignal;
	now(): number;
};

/** How a request ended; with a `drop` when it was given up, which is a failed response too unless the machine woke. */
export type Sent = { readonly response: AssistantMessage; readonly drop?: Drop };

/**
 * Sends a request to a model and follows its response to the end, also a failed one: a request that can't even be made
 * ends like one that failed. One that stays silent is given up. Rejects only when the task's signal was given.
 *
 * @param options without a signal: the task's own is used
 */
export async function sendRequest(
	around: Around,
	model: Model<Api>,
	messages: readonly Message[],
	options: Omit<RequestOptions, "signal">,
	onPartial: (message: AssistantMessage) => void = () => {},
): Promise<Sent> {
	around.signal.throwIfAborted();
	const given = new AbortController();
	let dropped: Drop | undefined;
	const watch = watchRequest(around.clock, around.network, !isThisMachine(model.baseUrl), (why) => {
		dropped = why;
		given.abort();
	});
	const watched: RequestOptions = {
		...options,
		signal: AbortSignal.any([around.signal, given.signal]),
		onResponse: watch.heard,
		onProviderStreamEvent: watch.heard,
		onSlotWait(waits) {
			watch.pause(waits);
			options.onSlotWait?.(waits);
		},
	};
	let response: AssistantMessage;
	try {
		response = await follow(
			around,
			model,
			() => around.models.streamSimple(model, { messages: [...messages] }, watched),
			(partial) => {
				watch.heard();
				if (partial.content.length > 0) onPartial(partial);
			},
		);
	} finally {
		watch.stop();
	}
	around.signal.throwIfAborted();
	const drop = response.stopReason === "aborted" ? (dropped as Drop | undefined) : undefined;
	if (drop === undefined) return { response };
	if (drop.kind === "woke") return { response, drop };
	return { response: { ...response, stopReason: "error", errorMessage: silence(drop.ms) }, drop };
}

function silence(ms: number): string {
	return `The stream was interrupted: nothing came from the model for ${Math.round(ms / 1_000)} s (timeout).`;
}

/** Follows one response to its end. */
async function follow(
	{ signal, now }: Around,
	model: Model<Api>,
	start: () => ReturnType<Models["streamSimple"]>,
	onEvent: (soFar: AssistantMessage) => void,
): Promise<AssistantMessage> {
	try {
		const events = start();
		for await (const event of events) {
			if (event.type === "done" || event.type === "error") break;
			onEvent(event.partial);
		}
		return await events.result();
	} catch (error) {
		signal.throwIfAborted();
		return {
			...emptyAnswer(model),
			stopReason: "error",
			errorMessage: error instanceof Error ? error.message : String(error),
			timestamp: now(),
		};
	}
}

import type { Context } from "@earendil-works/chord";
import type { AssistantMessage, Message, Models } from "@earendil-works/pi-ai";
import { crashPoint } from "../crash-points.ts";
import { LiveDoc, ProviderDoc } from "../harness/built-in-documents.ts";
import { keepPartial, liveOf } from "../harness/run.ts";
import type { RequestOptions } from "../types/request-options.ts";
import { classify } from "./classify.ts";
import { isThisMachine } from "./network-failure.ts";
import { at, type GenerationRuntime, type GenerationTaskIn } from "./outcome.ts";
import { createPartialWriter } from "./partial.ts";
import { failWithoutModel, findModel } from "./prepare.ts";
import { type Drop, watchRequest } from "./silence.ts";
import { createSlotWait } from "./slot-wait.ts";
import { type CarriedOn, carriedOn } from "./token.ts";

/** Sends the prepared request, also again after a crash, and lets the response decide what comes next. */
export async function request(
	task: GenerationTaskIn<"request">,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	const { checkpoint } = task.state;
	await takeUp(runtime, context);
	const model = findModel(runtime, checkpoint.model);
	if (model === undefined) return failWithoutModel(runtime, checkpoint.model, context);

	const view = await runtime.context(runtime.conversationId, context, { at: checkpoint.cutoff });
	const messages = await beforeRequest(view.messages, runtime, context);
	const { cwd } = await runtime.agent(context);
	const provider = await runtime.snapshot(ProviderDoc, runtime.conversationId, context);
	const partials = createPartialWriter(runtime, context);
	const slot = createSlotWait(checkpoint.attempt, runtime, context);
	const given = new AbortController();
	let dropped: Drop | undefined;
	const leavesMachine = !isThisMachine(model.baseUrl);
	const watch = watchRequest(runtime.clock, runtime.network, leavesMachine, (why) => {
		dropped = why;
		given.abort();
	});
	const options: RequestOptions = {
		...checkpoint.streamOptions,
		// A provider that runs a program does so in the conversation's folder.
		...(cwd === undefined ? {} : { metadata: { ...checkpoint.streamOptions.metadata, cwd } }),
		signal: AbortSignal.any([runtime.signal, given.signal]),
		...(provider === undefined ? {} : { sessionId: provider.sessionId }),
		...(checkpoint.thinkingLevel === "off" ? {} : { reasoning: checkpoint.thinkingLevel }),
		onResponse: watch.heard,
		onProviderStreamEvent: watch.heard,
		onSlotWait(waits) {
			watch.pause(waits);
			slot.changed(waits);
		},
	};
	let response: AssistantMessage;
	try {
		crashPoint("generation:request", runtime.conversationId);
		response = await stream(
			runtime,
			() => runtime.models.streamSimple(model, { messages: [...messages] }, options),
			model,
			(partial) => {
				watch.heard();
				if (partial.content.length > 0) partials.update(partial);
			},
		);
	} finally {
		watch.stop();
		await partials.stop();
		await slot.stop();
	}
	runtime.signal.throwIfAborted();
	const drop = response.stopReason === "aborted" ? (dropped as Drop | undefined) : undefined;
	if (drop?.kind === "woke") return sendAgain(checkpoint, runtime, context);
	if (drop !== undefined) response = { ...response, stopReason: "error", errorMessage: silence(drop.ms) };
	await runtime.hooks.each("afterResponse", (handler) => handler(response, runtime, context));
	const sent = { messages, baseUrl: model.baseUrl, isNetworksFault: drop?.networksFault === true };
	await classify(task, response, sent, runtime, context);
}

/** The machine has slept, so the connection is lost: the same request goes out anew, and no attempt is spent. */
async function sendAgain(checkpoint: CarriedOn, runtime: GenerationRuntime, context: Context): Promise<void> {
	await runtime.commit(async (tx) => {
		await keepPartial(tx, runtime.conversationId);
		return at({ phase: "prepare", ...carriedOn(checkpoint) });
	}, context);
}

function silence(ms: number): string {
	return `The stream was interrupted: nothing came from the model for ${Math.round(ms / 1_000)} s (timeout).`;
}

/**
 * The last process was cut off in the middle of an answer: what came of it stays in the transcript. Or it waited for its
 * place, which is another one's now.
 */
async function takeUp(runtime: GenerationRuntime, context: Context): Promise<void> {
	const live = await runtime.snapshot(LiveDoc, runtime.conversationId, context);
	const { message, waiting } = live?.generation ?? {};
	if (message === undefined && waiting === undefined) return;
	await runtime.commit(
		async (tx) => {
			await keepPartial(tx, runtime.conversationId);
			delete (await liveOf(tx, runtime.conversationId)).generation?.waiting;
		},
		context,
		{ progress: false },
	);
}

async function beforeRequest(
	committed: readonly Message[],
	runtime: GenerationRuntime,
	context: Context,
): Promise<readonly Message[]> {
	let messages = committed;
	await runtime.hooks.each("beforeRequest", async (handler) => {
		const replaced = await handler({ messages }, runtime, context);
		if (replaced !== undefined && replaced !== null) messages = replaced.messages;
	});
	return messages;
}

/** Follows one response to its end. A request that can't even be made ends like one that failed. */
async function stream(
	runtime: GenerationRuntime,
	start: () => ReturnType<Models["streamSimple"]>,
	model: { readonly api: string; readonly provider: string; readonly id: string },
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
		runtime.signal.throwIfAborted();
		return {
			role: "assistant",
			content: [],
			api: model.api,
			provider: model.provider,
			model: model.id,
			usage: {
				input: 0,
				output: 0,
				cacheRead: 0,
				cacheWrite: 0,
				totalTokens: 0,
				cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
			},
			stopReason: "error",
			errorMessage: error instanceof Error ? error.message : String(error),
			timestamp: runtime.now(),
		};
	}
}

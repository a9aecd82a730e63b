import type { Context } from "@earendil-works/chord";
import type { Message } from "@earendil-works/pi-ai";
import { crashPoint } from "../crash-points.ts";
import { LiveDoc, ProviderDoc } from "../harness/built-in-documents.ts";
import { keepPartial, liveOf } from "../harness/run.ts";
import { type Sent, sendRequest } from "../model-request/send-request.ts";
import { createSlotWait } from "../model-request/slot-wait.ts";
import type { SlotWait } from "../types/live.ts";
import { classify } from "./classify.ts";
import { at, type GenerationRuntime, type GenerationTaskIn } from "./outcome.ts";
import { createPartialWriter } from "./partial.ts";
import { failWithoutModel, findModel } from "./prepare.ts";
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
	const slot = createSlotWait(runtime, (wait) => showSlotWait(checkpoint.attempt, wait, runtime, context));
	let sent: Sent;
	try {
		crashPoint("generation:request", runtime.conversationId);
		sent = await sendRequest(
			runtime,
			model,
			messages,
			{
				...checkpoint.streamOptions,
				// A provider that runs a program does so in the conversation's folder.
				...(cwd === undefined ? {} : { metadata: { ...checkpoint.streamOptions.metadata, cwd } }),
				...(provider === undefined ? {} : { sessionId: provider.sessionId }),
				...(checkpoint.thinkingLevel === "off" ? {} : { reasoning: checkpoint.thinkingLevel }),
				onSlotWait: slot.changed,
			},
			partials.update,
		);
	} finally {
		await partials.stop();
		await slot.stop();
	}
	runtime.signal.throwIfAborted();
	const { response, drop } = sent;
	if (drop?.kind === "woke") return sendAgain(checkpoint, runtime, context);
	await runtime.hooks.each("afterResponse", (handler) => handler(response, runtime, context));
	const request = { messages, baseUrl: model.baseUrl, isNetworksFault: drop?.networksFault === true };
	await classify(task, response, request, runtime, context);
}

function showSlotWait(
	attempt: number,
	wait: SlotWait | undefined,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	return runtime.commit(
		async (tx) => {
			const live = await liveOf(tx, runtime.conversationId);
			live.generation = { attempt, ...(wait === undefined ? {} : { waiting: wait }) };
		},
		context,
		{ progress: false },
	);
}

/** The machine has slept, so the connection is lost: the same request goes out anew, and no attempt is spent. */
async function sendAgain(checkpoint: CarriedOn, runtime: GenerationRuntime, context: Context): Promise<void> {
	await runtime.commit(async (tx) => {
		await keepPartial(tx, runtime.conversationId);
		return at({ phase: "prepare", ...carriedOn(checkpoint) });
	}, context);
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

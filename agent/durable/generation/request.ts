import type { Context } from "@earendil-works/chord";
import type { AssistantMessage, Message, Models } from "@earendil-works/pi-ai";
import { crashPoint } from "../crash-points.ts";
import { LiveDoc, ProviderDoc } from "../harness/built-in-documents.ts";
import { keepPartial } from "../harness/run.ts";
import { classify } from "./classify.ts";
import type { GenerationRuntime, GenerationTaskIn } from "./outcome.ts";
import { createPartialWriter } from "./partial.ts";
import { failWithoutModel, findModel } from "./prepare.ts";

/** Sends the prepared request, also again after a crash, and lets the response decide what comes next. */
export async function request(
	task: GenerationTaskIn<"request">,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	const { checkpoint } = task.state;
	await keepInterruptedPartial(runtime, context);
	const model = findModel(runtime, checkpoint.model);
	if (model === undefined) return failWithoutModel(runtime, checkpoint.model, context);

	const view = await runtime.context(runtime.conversationId, context, { at: checkpoint.cutoff });
	const messages = await beforeRequest(view.messages, runtime, context);
	const { cwd } = await runtime.agent(context);
	const provider = await runtime.snapshot(ProviderDoc, runtime.conversationId, context);
	const partials = createPartialWriter(runtime, context);
	let response: AssistantMessage;
	try {
		crashPoint("generation:request", runtime.conversationId);
		response = await stream(
			runtime,
			() =>
				runtime.models.streamSimple(
					model,
					{ messages: [...messages] },
					{
						...checkpoint.streamOptions,
						// A provider that runs a program does so in the conversation's folder.
						...(cwd === undefined ? {} : { metadata: { ...checkpoint.streamOptions.metadata, cwd } }),
						signal: runtime.signal,
						...(provider === undefined ? {} : { sessionId: provider.sessionId }),
						...(checkpoint.thinkingLevel === "off" ? {} : { reasoning: checkpoint.thinkingLevel }),
					},
				),
			model,
			partials.update,
		);
	} finally {
		await partials.stop();
	}
	runtime.signal.throwIfAborted();
	await runtime.hooks.each("afterResponse", (handler) => handler(response, runtime, context));
	await classify(task, response, messages, runtime, context);
}

/** The last process was cut off in the middle of an answer: what came of it stays in the transcript. */
async function keepInterruptedPartial(runtime: GenerationRuntime, context: Context): Promise<void> {
	const live = await runtime.snapshot(LiveDoc, runtime.conversationId, context);
	if (live?.generation?.message === undefined) return;
	await runtime.commit(
		async (tx) => {
			await keepPartial(tx, runtime.conversationId);
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
	onPartial: (message: AssistantMessage) => void,
): Promise<AssistantMessage> {
	try {
		const events = start();
		for await (const event of events) {
			if (event.type === "done" || event.type === "error") break;
			if (event.partial.content.length > 0) onPartial(event.partial);
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

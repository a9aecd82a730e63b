import type { Context } from "@earendil-works/chord";
import type { AssistantMessage, Message, ToolCall } from "@earendil-works/pi-ai";
import { crashPoint } from "../crash-points.ts";
import { appendUser, openBoundary } from "../harness/boundary.ts";
import { appendAssistant, continueRun, endRun, liveOf, startRun } from "../harness/run.ts";
import { waitAfter } from "../model-request/waits.ts";
import { copyLooseJson } from "../session/strict-json.ts";
import type { UserInput } from "../types/submissions.ts";
import { handleOverflow } from "./compacting.ts";
import { completed, failed, type GenerationRuntime, type GenerationTaskIn } from "./outcome.ts";
import { startRound } from "./round.ts";
import { storeWait } from "./store-wait.ts";

/** What a response answers. */
export type SentRequest = {
	readonly messages: readonly Message[];
	/** Where it went; empty when only the provider knows. */
	readonly baseUrl: string;
	/** It was given up because nothing came while the network was away. */
	readonly isNetworksFault: boolean;
};

/** Decides, in one commit, what a response means for the run. */
export async function classify(
	task: GenerationTaskIn<"request">,
	received: AssistantMessage,
	sent: SentRequest,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	const { messages } = sent;
	const response = copyLooseJson(received);
	const calls = response.content.filter((part): part is ToolCall => part.type === "toolCall");
	switch (response.stopReason) {
		case "toolUse":
			if (calls.length > 0) return startRound(response, calls, messages, runtime, context);
			return answer(response, runtime, context);
		case "stop":
		case "length":
			return answer(response, runtime, context);
		case "error":
			return fail(task, response, sent, runtime, context);
		default:
			return endUnanswered(response, runtime, context);
	}
}

/** The run's answer: what waits is placed, and a hook may keep the run going. */
async function answer(
	response: AssistantMessage,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	const { conversationId } = runtime;
	const continuation = await askToContinue(response, runtime, context);
	crashPoint("generation:answer", conversationId);
	await runtime.commit(async (tx) => {
		const boundary = await openBoundary(tx, conversationId, runtime.settings, runtime.now());
		const entryId = await appendAssistant(tx, conversationId, response);
		const { inputs, reset } = await boundary.place("final");
		const live = await liveOf(tx, conversationId);
		delete live.generation;
		if (continuation !== undefined && inputs.length === 0 && !reset) {
			await appendUser(tx, conversationId, continuation, runtime.now());
			await continueRun(tx, conversationId);
		} else {
			await endRun(tx, conversationId, { status: "done", answer: entryId });
			if (inputs.length > 0) await startRun(tx, conversationId, inputs);
		}
		return completed(entryId);
	}, context);
	await runtime.flush(context);
}

async function askToContinue(
	response: AssistantMessage,
	runtime: GenerationRuntime,
	context: Context,
): Promise<UserInput | undefined> {
	let continuation: UserInput | undefined;
	await runtime.hooks.each("onYield", async (handler) => {
		if (continuation !== undefined) return;
		const decision = await handler(response, runtime, context);
		if (decision !== undefined && decision !== null) continuation = copyLooseJson(decision.continue);
	});
	return continuation;
}

/** A failed attempt stays in the transcript; the run waits and tries again, or ends. */
async function fail(
	task: GenerationTaskIn<"request">,
	response: AssistantMessage,
	sent: SentRequest,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	if (await handleOverflow(task, response, runtime, context)) return;
	const { checkpoint } = task.state;
	const waiting = { tried: checkpoint, model: checkpoint.model };
	const decide = await waitAfter(waiting, { response, ...sent }, runtime);
	if (decide === undefined) return endUnanswered(response, runtime, context);
	await storeWait(waiting, decide, runtime, context, response);
}

/** The run ends without an answer. What waits in the inbox stays there for a person to decide. */
async function endUnanswered(
	response: AssistantMessage,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	const detail = response.errorMessage ?? `The model ended with "${response.stopReason}".`;
	await runtime.commit(async (tx) => {
		const entryId = await appendAssistant(tx, runtime.conversationId, response);
		await endRun(tx, runtime.conversationId, { status: "unanswered", reason: "model_error", detail });
		return failed(detail, entryId);
	}, context);
}

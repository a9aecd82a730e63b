import type { Context } from "@earendil-works/chord";
import type { Api, AssistantMessage, Message, Model } from "@earendil-works/pi-ai";
import { crashPoint } from "../crash-points.ts";
import { LiveDoc, ProviderDoc } from "../harness/built-in-documents.ts";
import { sendRequest } from "../model-request/send-request.ts";
import { createSlotWait } from "../model-request/slot-wait.ts";
import { type FailedRequest, waitAfter, waitForAccount } from "../model-request/waits.ts";
import { copyLooseJson } from "../session/strict-json.ts";
import type { SlotWait } from "../types/live.ts";
import type { RequestOptions } from "../types/request-options.ts";
import { fail } from "./outcome.ts";
import { placeSummary } from "./place.ts";
import { SUMMARY_SYSTEM_PROMPT, summaryRequestText } from "./prompt.ts";
import { rangeThatKeeps } from "./range.ts";
import { findModel, missingModel } from "./select.ts";
import { serializeConversation } from "./serialize.ts";
import { statusOf } from "./status.ts";
import { storeWait } from "./store-wait.ts";
import type { CompactionRuntime, CompactionTaskIn } from "./token.ts";

/** Cautiously few: text that is dense in tokens must fit too. */
const CHARS_PER_TOKEN = 2.5;

/** Asks for the summary, also again after a crash, and lets the response decide what comes next. */
export async function summarize(
	task: CompactionTaskIn<"summarize">,
	runtime: CompactionRuntime,
	context: Context,
): Promise<void> {
	const { conversationId } = runtime;
	const { phase: _, ...request } = task.state.checkpoint;
	const model = findModel(runtime, request.model);
	if (model === undefined) return fail(runtime, "no_model", missingModel(request.model), context);
	const mustWait = () => waitForAccount({ tried: request, model: request.model }, runtime);
	if (mustWait() !== undefined && (await storeWait(request, mustWait, runtime, context))) return;
	const messages = await requestMessages(task, model, runtime, context);
	const { cwd } = await runtime.agent(context);
	const provider = await runtime.snapshot(ProviderDoc, conversationId, context);
	const { deferred: __, ...streamOptions } = request.streamOptions;
	const options: RequestOptions = {
		...streamOptions,
		// A provider that runs a program does so in the conversation's folder.
		...(cwd === undefined ? {} : { metadata: { ...streamOptions.metadata, cwd } }),
		cacheRetention: "none",
		maxTokens: request.maxTokens,
		...(provider === undefined ? {} : { sessionId: provider.sessionId }),
		...(request.thinkingLevel === "off" ? {} : { reasoning: request.thinkingLevel }),
		onSlotWait: (waits) => slot.changed(waits),
	};
	crashPoint("compaction:request", conversationId);
	await forgetSlotWait(runtime, context);
	const slot = createSlotWait(runtime, (wait) => showSlotWait(wait, runtime, context));
	const send = () => sendRequest(runtime, model, messages, options).finally(slot.stop);
	let { response, drop } = await send();
	// The machine has slept, so the connection is lost: the same request goes out anew, and no attempt is spent.
	while (drop?.kind === "woke") ({ response, drop } = await send());
	const sent = { baseUrl: model.baseUrl, isNetworksFault: drop?.networksFault === true };
	await classify(task, copyLooseJson(response), sent, runtime, context);
}

/** A process that died while it waited for room has left that shown. */
async function forgetSlotWait(runtime: CompactionRuntime, context: Context): Promise<void> {
	const live = await runtime.snapshot(LiveDoc, runtime.conversationId, context);
	const status = live?.compactions?.find(({ taskId }) => taskId === runtime.taskId);
	if (status?.waiting?.reason === "slot") await showSlotWait(undefined, runtime, context);
}

function showSlotWait(
	wait: SlotWait | undefined,
	runtime: CompactionRuntime,
	context: Context,
): Promise<void> {
	return runtime.commit(
		async (tx) => {
			const status = await statusOf(tx, runtime.conversationId, runtime.taskId);
			if (status === undefined) return;
			if (wait === undefined) delete status.waiting;
			else status.waiting = wait;
		},
		context,
		{ progress: false },
	);
}

/** What is summarized is read again as it was chosen: entries never change. */
async function requestMessages(
	{ input, state }: CompactionTaskIn<"summarize">,
	model: Model<Api>,
	runtime: CompactionRuntime,
	context: Context,
): Promise<Message[]> {
	const { tail, firstKept, maxTokens } = state.checkpoint;
	const view = await runtime.context(runtime.conversationId, context, { at: tail });
	const room = model.contextWindow > 0 ? (model.contextWindow - maxTokens) * CHARS_PER_TOKEN : Infinity;
	const conversation = serializeConversation(rangeThatKeeps(view, firstKept).messages, room);
	const timestamp = runtime.now();
	const text = summaryRequestText(conversation, input.instructions);
	return [
		{ role: "system", content: SUMMARY_SYSTEM_PROMPT, timestamp },
		{ role: "user", content: [{ type: "text", text }], timestamp },
	];
}

async function classify(
	task: CompactionTaskIn<"summarize">,
	response: AssistantMessage,
	sent: Omit<FailedRequest, "response">,
	runtime: CompactionRuntime,
	context: Context,
): Promise<void> {
	const { phase: _, ...request } = task.state.checkpoint;
	const summary = summaryIn(response);
	if (summary !== undefined)
		return placeSummary(task, summary, request.firstKept, runtime, context, response);
	const decide =
		response.stopReason === "error"
			? await waitAfter({ tried: request, model: request.model }, { response, ...sent }, runtime)
			: undefined;
	if (decide === undefined)
		return fail(runtime, "model_error", `No summary came of it: ${problemOf(response)}`, context, response);
	await storeWait(request, decide, runtime, context, response);
}

/** A whole summary, or nothing: one that was cut off by its length or by a call is no use. */
function summaryIn({ stopReason, content }: AssistantMessage): string | undefined {
	if (stopReason !== "stop" || content.some(({ type }) => type === "toolCall")) return undefined;
	const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
	return text.trim() === "" ? undefined : text.trim();
}

function problemOf({ stopReason, errorMessage }: AssistantMessage): string {
	if (errorMessage !== undefined) return errorMessage;
	if (stopReason === "length") return "it became longer than it may be.";
	return `the model ended with "${stopReason}" and without a text.`;
}

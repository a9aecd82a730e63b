import type { Context } from "@earendil-works/chord";
import type { AssistantMessage, ToolCall } from "@earendil-works/pi-ai";
import { AssistantEntry } from "../harness/built-in-entries.ts";
import { endRun, keepPartial } from "../harness/run.ts";
import { appendErrorResult } from "../tool/result.ts";
import type { RunningTask } from "../types/tasks.ts";
import type { GenerationRuntime } from "./outcome.ts";
import type { GenerationCheckpoint, GenerationInput, GenerationResult } from "./token.ts";

/** Ends a stopped run: what was answered so far stays, and each call that never started gets a result that says so. */
export async function abort(
	task: RunningTask<GenerationInput, GenerationCheckpoint, GenerationResult>,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	const { conversationId } = runtime;
	const unstarted = await unstartedCalls(task.state.checkpoint, runtime, context);
	await runtime.commit(async (tx) => {
		await keepPartial(tx, conversationId);
		for (const call of unstarted)
			await appendErrorResult(
				tx,
				conversationId,
				call,
				"aborted",
				`Tool ${call.name} was not started.`,
				runtime.now(),
			);
		await endRun(tx, conversationId, { status: "unanswered", reason: "aborted" });
		return { status: "terminal", outcome: { status: "aborted" } };
	}, context);
}

async function unstartedCalls(
	checkpoint: GenerationCheckpoint,
	runtime: GenerationRuntime,
	context: Context,
): Promise<ToolCall[]> {
	if (checkpoint.phase !== "tools" || checkpoint.pending.length === 0) return [];
	const entry = await runtime.entry(AssistantEntry, checkpoint.assistant, context);
	const message = entry?.model?.[0] as AssistantMessage;
	return message.content.filter(
		(part): part is ToolCall => part.type === "toolCall" && checkpoint.pending.includes(part.id),
	);
}

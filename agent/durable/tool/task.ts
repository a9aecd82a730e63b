import type { Context } from "@earendil-works/chord";
import type { AssistantMessage, ToolCall } from "@earendil-works/pi-ai";
import { crashPoint } from "../crash-points.ts";
import { AssistantEntry } from "../harness/built-in-entries.ts";
import { liveOf } from "../harness/run.ts";
import type { ToolHooks } from "../types/extensions.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { defineTask, type RunningTask } from "../types/tasks.ts";
import type {
	ToolExecutionApi,
	ToolExecutionResult,
	ToolRegistration,
	ToolTaskCheckpoint,
	ToolTaskInput,
	ToolTaskResult,
} from "../types/tools.ts";
import { createToolApi } from "./api.ts";
import { decideCall, repairOf } from "./arguments.ts";
import { DEFAULT_LIMITS, type OutputLimits } from "./output-buffer.ts";
import {
	committedProgress,
	createProgress,
	endSlot,
	forgetProgress,
	type Progress,
	slotOf,
} from "./progress.ts";
import { appendResult, boundResult, errorResult, type ResultFacts, truncated } from "./result.ts";
import type { ToolRuntime, ToolTaskIn } from "./runtime-types.ts";
import { toolIdentity } from "./token.ts";

type Work = { readonly result: ToolExecutionResult; readonly outcome: "completed" | "failed" };

/**
 * `pi.tool`: one call of a tool.
 *
 *     call: validate, ask the hooks → intent, on disk → execute() → result
 *     execute (only after a crash): recover(), else run again if safe, else say that it was interrupted
 */
export const ToolTask = defineTask<ToolTaskInput, ToolTaskCheckpoint, ToolTaskResult, ToolHooks>({
	...toolIdentity,
	phases: { call, execute: recover },
	abort,
});

async function call(task: ToolTaskIn<"call">, runtime: ToolRuntime, context: Context): Promise<void> {
	const toolCall = await callOf(task, runtime, context);
	const tool = await resolveTool(toolCall.name, runtime, context);
	if (tool === undefined) {
		const result = errorResult("tool_unavailable", `The tool ${toolCall.name} isn't available.`);
		return settle(toolCall, { result, outcome: "completed" }, undefined, {}, runtime, context);
	}
	const decision = await decideCall(tool, toolCall, runtime, context);
	if (decision.kind === "refuse") {
		const result = errorResult(decision.code, decision.message);
		return settle(toolCall, { result, outcome: "completed" }, tool, {}, runtime, context);
	}
	const args = decision.arguments;
	let intent: JsonValue | undefined;
	try {
		intent = tool.intent?.(args as never);
	} catch (error) {
		const result = errorResult("tool_error", messageOf(error));
		return settle(toolCall, { result, outcome: "failed" }, tool, {}, runtime, context);
	}
	const replay = tool.replay ?? "unsafe";
	crashPoint("tool:intent:before", runtime.conversationId);
	await runtime.commit(async (tx) => {
		const slot = slotOf(await liveOf(tx, runtime.conversationId), runtime.taskId);
		if (slot !== undefined) slot.status = "running";
		const checkpoint = {
			phase: "execute",
			arguments: args,
			replay,
			...(intent === undefined ? {} : { intent }),
		} as const;
		return { status: "running", checkpoint };
	}, context);
	// From here on the effect may happen, so the intent has to survive a power cut too.
	if (replay === "unsafe") await runtime.flush(context);
	crashPoint("tool:intent:after", runtime.conversationId);
	await carryOut(tool, toolCall, args, intent, "execute", runtime, context);
}

/** A crash cut the call off somewhere after its intent. */
async function recover(task: ToolTaskIn<"execute">, runtime: ToolRuntime, context: Context): Promise<void> {
	const toolCall = await callOf(task, runtime, context);
	const tool = await resolveTool(toolCall.name, runtime, context);
	const { arguments: args, replay, intent } = task.state.checkpoint;
	if (tool?.recover !== undefined) {
		if (await carryOut(tool, toolCall, args, intent, "recover", runtime, context)) return;
	}
	if (tool !== undefined && replay === "safe" && tool.replay === "safe") {
		await forgetProgress(runtime, context);
		await carryOut(tool, toolCall, args, intent, "execute", runtime, context);
		return;
	}
	const progress = await committedProgress(runtime, context);
	const message = `Tool ${toolCall.name} was interrupted and may have partially run`;
	const result = errorResult("interrupted", message, progress);
	await settle(
		toolCall,
		{ result, outcome: "failed" },
		tool,
		repairOf(tool, toolCall, args),
		runtime,
		context,
	);
}

/** Runs one of the tool's functions and settles the call with what came of it. False when it had nothing to say. */
async function carryOut(
	tool: ToolRegistration,
	toolCall: ToolCall,
	args: JsonObject,
	intent: JsonValue | undefined,
	which: "execute" | "recover",
	runtime: ToolRuntime,
	context: Context,
): Promise<boolean> {
	const progress = createProgress(runtime, limitsOf(tool), context);
	const startedAt = runtime.clock.monotonic();
	let work: Work | undefined;
	try {
		const env = await runtime.env(context);
		const api = createToolApi(runtime, toolCall.id, env, intent, progress);
		const run = async () =>
			which === "execute"
				? tool.execute(args as never, api as never, context)
				: tool.recover!(args as never, api as never, context);
		// What can recover is left running for the next process, by a harness that drains.
		const returned = await (tool.recover === undefined ? run() : runtime.leavable(run));
		runtime.signal.throwIfAborted();
		if (returned !== undefined) {
			const result = await afterTool(toolCall, withReports(returned, progress), runtime, context);
			work = { result, outcome: "completed" };
		}
	} catch (error) {
		if (runtime.signal.aborted) throw error;
		const { text, details, diagnostics } = progress.reported();
		const told = { output: text, diagnostics, ...(details === undefined ? {} : { details }) };
		work = { result: errorResult("tool_error", messageOf(error), told), outcome: "failed" };
	} finally {
		await progress.stop();
	}
	if (work === undefined) return false;
	const durationMs = Math.max(0, Math.round(runtime.clock.monotonic() - startedAt));
	crashPoint("tool:executed", runtime.conversationId);
	const facts = { ...repairOf(tool, toolCall, args), ...(which === "execute" ? { durationMs } : {}) };
	await settle(toolCall, work, tool, facts, runtime, context);
	return true;
}

async function afterTool(
	toolCall: ToolCall,
	result: ToolExecutionResult,
	runtime: ToolRuntime,
	context: Context,
): Promise<ToolExecutionResult> {
	let current = result;
	await runtime.hooks.each("afterTool", async (handler) => {
		current = (await handler(toolCall, current, runtime, context)) ?? current;
	});
	return current;
}

/** What the call reported while it ran completes what it returned. */
function withReports(returned: ToolExecutionResult, progress: Progress): ToolExecutionResult {
	const { text, said, droppedBytes, droppedLines, details, diagnostics } = progress.reported();
	const dropped = returned.content === undefined && droppedBytes > 0;
	return {
		...returned,
		content: returned.content ?? (said && text !== "" ? [{ type: "text", text }] : []),
		...((returned.details ?? details) === undefined ? {} : { details: returned.details ?? details }),
		diagnostics: [
			...diagnostics,
			...(returned.diagnostics ?? []),
			...(dropped ? [truncated(droppedLines, droppedBytes)] : []),
		],
	};
}

async function settle(
	toolCall: ToolCall,
	work: Work,
	tool: ToolRegistration | undefined,
	facts: ResultFacts,
	runtime: ToolRuntime,
	context: Context,
): Promise<void> {
	const bounded = boundResult(work.result, limitsOf(tool));
	await runtime.commit(async (tx) => {
		const entryId = await finish(tx, toolCall, bounded, facts, runtime);
		const control = bounded.control;
		const result: ToolTaskResult = { entryId, ...(control === undefined ? {} : { control }) };
		if (work.outcome === "completed") return { status: "terminal", outcome: { status: "completed", result } };
		const message = bounded.diagnostics?.at(-1)?.message ?? "The call failed";
		return { status: "terminal", outcome: { status: "failed", error: { message }, result } };
	}, context);
	runtime.show(undefined);
	crashPoint("tool:result", runtime.conversationId);
}

type CommitTx = Parameters<Parameters<ToolRuntime["commit"]>[0]>[0];

async function finish(
	tx: CommitTx,
	toolCall: ToolCall,
	result: ToolExecutionResult,
	facts: ResultFacts,
	runtime: ToolRuntime,
) {
	const { conversationId, taskId } = runtime;
	const entryId = await appendResult(tx, conversationId, toolCall, result, runtime.now(), facts);
	const slot = slotOf(await liveOf(tx, conversationId), taskId);
	if (slot !== undefined) endSlot(slot, entryId);
	return entryId;
}

/** The call was stopped: what it started outside is ended first, then the model is told. */
async function abort(
	task: RunningTask<ToolTaskInput, ToolTaskCheckpoint, ToolTaskResult>,
	runtime: ToolRuntime,
	context: Context,
): Promise<void> {
	const toolCall = await callOf(task, runtime, context);
	const tool = await resolveTool(toolCall.name, runtime, context);
	const { checkpoint } = task.state;
	let result = errorResult(
		"aborted",
		`Tool ${toolCall.name} was stopped`,
		await committedProgress(runtime, context),
	);
	if (checkpoint.phase === "execute" && tool?.stop !== undefined)
		result = (await stop(tool, toolCall, checkpoint, runtime, context)) ?? result;
	await runtime.hooks.each("onAbort", async (handler) => {
		result = (await handler(toolCall, result, runtime, context)) ?? result;
	});
	const bounded = boundResult(result, limitsOf(tool));
	const facts = checkpoint.phase === "execute" ? repairOf(tool, toolCall, checkpoint.arguments) : {};
	await runtime.commit(async (tx) => {
		const entryId = await finish(tx, toolCall, bounded, facts, runtime);
		return { status: "terminal", outcome: { status: "aborted", result: { entryId } } };
	}, context);
	runtime.show(undefined);
}

async function stop(
	tool: ToolRegistration,
	toolCall: ToolCall,
	checkpoint: Extract<ToolTaskCheckpoint, { phase: "execute" }>,
	runtime: ToolRuntime,
	context: Context,
): Promise<ToolExecutionResult | undefined> {
	const progress = createProgress(runtime, limitsOf(tool), context);
	try {
		const env = await runtime.env(context);
		const api: ToolExecutionApi = createToolApi(runtime, toolCall.id, env, checkpoint.intent, progress);
		const returned = await tool.stop!(checkpoint.arguments as never, api as never, context);
		return returned === undefined ? undefined : withReports(returned, progress);
	} catch (error) {
		// The call must end with a result all the same.
		if (runtime.signal.aborted) throw error;
		runtime.report(error);
		return undefined;
	} finally {
		await progress.stop();
	}
}

async function callOf(
	task: RunningTask<ToolTaskInput, ToolTaskCheckpoint, ToolTaskResult>,
	runtime: ToolRuntime,
	context: Context,
): Promise<ToolCall> {
	const { assistant, callId } = task.input;
	const entry = await runtime.entry(AssistantEntry, assistant, context);
	const message = entry?.model?.[0] as AssistantMessage | undefined;
	const found = message?.content.find((part) => part.type === "toolCall" && part.id === callId);
	if (found === undefined) throw new Error(`Entry ${assistant} holds no call ${callId}`);
	return found as ToolCall;
}

async function resolveTool(
	name: string,
	runtime: ToolRuntime,
	context: Context,
): Promise<ToolRegistration | undefined> {
	const agent = await runtime.agent(context);
	return agent.tools.find((tool) => tool.name === name);
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

function limitsOf(tool: ToolRegistration | undefined): OutputLimits {
	return { ...DEFAULT_LIMITS, ...tool?.outputLimits };
}

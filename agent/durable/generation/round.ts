import type { Context } from "@earendil-works/chord";
import { type AssistantMessage, getCurrentTools, type Message, type ToolCall } from "@earendil-works/pi-ai";
import { openBoundary } from "../harness/boundary.ts";
import { AgentDoc, LiveDoc } from "../harness/built-in-documents.ts";
import { resetDraft } from "../harness/built-in-entries.ts";
import { appendAssistant, continueRun, endRun, liveOf, startRun } from "../harness/run.ts";
import { appendErrorResult } from "../tool/result.ts";
import { NewTool } from "../tool/token.ts";
import type { AgentState } from "../types/agent.ts";
import type { EntryId, TaskId } from "../types/ids.ts";
import type { ToolSlot } from "../types/live.ts";
import type { Tx } from "../types/session.ts";
import type { ToolControl, ToolTaskResult } from "../types/tools.ts";
import {
	completed,
	type GenerationRuntime,
	type GenerationTaskIn,
	type NextGenerationState,
} from "./outcome.ts";

/** Turns an answer with calls into a round: one task a call, and the generation waits for them. */
export async function startRound(
	response: AssistantMessage,
	calls: readonly ToolCall[],
	messages: readonly Message[],
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	const offered = new Set(getCurrentTools([...messages]).map(({ name }) => name));
	const agent = await runtime.agent(context);
	const sequential =
		runtime.settings.toolExecution === "sequential" ||
		calls.some(({ name }) => agent.tools.find((tool) => tool.name === name)?.executionMode === "sequential");
	const { conversationId, taskId } = runtime;
	await runtime.commit(async (tx) => {
		const assistant = await appendAssistant(tx, conversationId, response);
		const live = await liveOf(tx, conversationId);
		const slots: ToolSlot[] = [];
		const tools: TaskId<ToolTaskResult>[] = [];
		const pending: string[] = [];
		for (const call of calls) {
			const slot: ToolSlot = { callId: call.id, name: call.name, status: "pending" };
			slots.push(slot);
			if (!offered.has(call.name)) {
				const text = `The tool ${call.name} isn't available.`;
				slot.entry = await appendErrorResult(
					tx,
					conversationId,
					call,
					"tool_unavailable",
					text,
					runtime.now(),
				);
				slot.status = "done";
			} else if (sequential && tools.length > 0) pending.push(call.id);
			else {
				slot.taskId = await createToolTask(tx, taskId, assistant, call.id);
				tools.push(slot.taskId as TaskId<ToolTaskResult>);
			}
		}
		live.tools = slots;
		delete live.generation;
		return waitFor(assistant, tools, pending);
	}, context);
}

/** Runs when every task of the round has ended: starts the next sequential call, or ends the round. */
export async function endRound(
	task: GenerationTaskIn<"tools">,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	const { assistant, tools, pending } = task.state.checkpoint;
	const [next, ...later] = pending;
	if (next !== undefined) {
		await runtime.commit(async (tx) => {
			const live = await liveOf(tx, runtime.conversationId);
			const id = await createToolTask(tx, runtime.taskId, assistant, next);
			const slot = live.tools?.find(({ callId }) => callId === next);
			if (slot !== undefined) slot.taskId = id;
			return waitFor(assistant, [...tools, id], later);
		}, context);
		return;
	}
	const controls = await controlsOf(tools, runtime, context);
	await observeRound(assistant, runtime, context);
	await closeRound(assistant, controls, tools.length, runtime, context);
}

function waitFor(
	assistant: EntryId,
	tools: TaskId<ToolTaskResult>[],
	pending: string[],
): NextGenerationState {
	const checkpoint = { phase: "tools", assistant, tools, pending } as const;
	return { status: "waiting", checkpoint, on: tools, policy: "allSettled" };
}

function createToolTask(
	tx: Tx,
	generation: TaskId,
	assistant: EntryId,
	callId: string,
): Promise<TaskId<ToolTaskResult>> {
	return tx.createTask(NewTool, { assistant, callId }, { ownership: { kind: "task", taskId: generation } });
}

async function controlsOf(
	tools: readonly TaskId<ToolTaskResult>[],
	runtime: GenerationRuntime,
	context: Context,
): Promise<ToolControl[]> {
	const outcomes = await runtime.outcomes(tools, context);
	return outcomes.flatMap((outcome) =>
		outcome.status === "completed" && outcome.result.control !== undefined ? [outcome.result.control] : [],
	);
}

async function observeRound(assistant: EntryId, runtime: GenerationRuntime, context: Context): Promise<void> {
	const live = await runtime.snapshot(LiveDoc, runtime.conversationId, context);
	const results = (live?.tools ?? []).flatMap(({ entry }) => entry ?? []);
	await runtime.hooks.each("afterTools", (handler) => handler(assistant, results, runtime, context));
}

async function closeRound(
	assistant: EntryId,
	controls: readonly ToolControl[],
	calls: number,
	runtime: GenerationRuntime,
	context: Context,
): Promise<void> {
	const { conversationId } = runtime;
	const handoff = controls.findLast((control) => control.handoff !== undefined)?.handoff;
	const terminates = calls > 0 && controls.filter(({ terminate }) => terminate === true).length === calls;
	await runtime.commit(async (tx) => {
		const boundary = await openBoundary(tx, conversationId, runtime.settings, runtime.now());
		await offerMore(
			tx,
			conversationId,
			controls.flatMap(({ addTools }) => addTools ?? []),
		);
		const cutAt =
			handoff === undefined ? undefined : await appendHandoff(tx, conversationId, handoff, runtime.now());
		if (handoff !== undefined || terminates) {
			await endRun(tx, conversationId, { status: "done", answer: assistant });
			const { inputs } = await boundary.place("final", cutAt);
			if (inputs.length > 0) await startRun(tx, conversationId, inputs);
			return completed(assistant);
		}
		const { inputs, reset } = await boundary.place("postTools");
		const live = await liveOf(tx, conversationId);
		delete live.tools;
		if (reset) {
			await endRun(tx, conversationId, { status: "unanswered", reason: "reset" });
			if (inputs.length > 0) await startRun(tx, conversationId, inputs);
		} else await continueRun(tx, conversationId, inputs);
		return completed(assistant);
	}, context);
}

/** Tools a result asks for join the stored filter; without a filter everything is offered already. */
async function offerMore(
	tx: Tx,
	conversationId: GenerationRuntime["conversationId"],
	names: readonly string[],
): Promise<void> {
	if (names.length === 0) return;
	const agent = (await tx.doc(AgentDoc, conversationId)) as AgentState;
	const { tools } = agent;
	if (tools === undefined) return;
	if (Array.isArray(tools)) {
		for (const name of names) if (!tools.includes(name)) tools.push(name);
	} else tools.remove = tools.remove.filter((name) => !names.includes(name));
}

async function appendHandoff(
	tx: Tx,
	conversationId: GenerationRuntime["conversationId"],
	note: string,
	timestamp: number,
): Promise<EntryId> {
	return (await tx.appendEntry(conversationId, resetDraft(note, timestamp))).id;
}

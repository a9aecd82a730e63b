import type { Context } from "@earendil-works/chord";
import {
	type ConversationId,
	defineTask,
	type Task,
	type TaskRuntime,
	type Tx,
} from "../../durable/index.ts";
import { type Driver, type Ended, seeThrough } from "./drive.ts";
import { reportText } from "./report.ts";
import type { SpendSource } from "./spend.ts";

type Input = { readonly callId: string; readonly description: string; readonly prompt: string };

type State =
	/** It owns its conversation from the commit that creates both. */
	| { phase: "work" }
	/** Its task is done; the parent is yet to hear of it. */
	| { phase: "report"; status: Ended["kind"]; text: string };

type Result = { readonly status: Ended["kind"] };

export type BackgroundTask = Task<Input, State, Result, object>;
type Runtime = TaskRuntime<Input, State, Result, object>;

/**
 * A subagent in the background: the task owns its conversation, outlives the run that started it, and hands the answer
 * to its parent as a message once there is one, in whichever process that is. It is a background task, so a stop of the
 * parent's run doesn't reach it.
 */
export function createBackgroundTask(source: () => SpendSource): BackgroundTask {
	return defineTask<Input, State, Result, object>({
		name: "outlive.subagent",
		version: 1,
		initial: () => ({ phase: "work" }),
		phases: {
			async work(task, runtime, context) {
				const child = await ownedConversation(runtime, context);
				const ended = await seeThrough(child, task.input.prompt, driverOf(runtime), source(), context);
				const text = reportText(task.input.description, ended);
				const checkpoint = { phase: "report", status: ended.kind, text } as const;
				await runtime.commit(() => ({ status: "running", checkpoint }), context);
			},
			async report(task, runtime, context) {
				const parent = await runtime.conversation(task.conversationId, context);
				const { status, text } = task.state.checkpoint;
				const requestId = `subagent-result:${task.id}`;
				await parent?.submit({ type: "input", content: text, requestId }, context);
				await runtime.commit(
					() => ({ status: "terminal", outcome: { status: "completed", result: { status } } }),
					context,
				);
			},
		},
		abort: (_task, runtime, context) =>
			runtime.commit(() => ({ status: "terminal", outcome: { status: "aborted" } }), context),
	});
}

async function ownedConversation(runtime: Runtime, context: Context): Promise<ConversationId> {
	const owned = await committed(
		runtime,
		async (tx) => (await tx.scanConversations({ ownerTaskId: runtime.taskId }, 1)).items[0]?.id,
		context,
	);
	if (owned === undefined) throw new Error(`The subagent of task ${runtime.taskId} has no conversation.`);
	return owned;
}

function driverOf(runtime: Runtime): Driver {
	return {
		taskId: runtime.taskId,
		conversation: (id, context) => runtime.conversation(id, context),
		snapshot: runtime.snapshot.bind(runtime) as Driver["snapshot"],
		now: () => runtime.now(),
		sleep: (until, context, lengthMs) => runtime.sleep(until, context, lengthMs),
		commit: (change, context) => committed(runtime, change, context),
	};
}

async function committed<T>(runtime: Runtime, change: (tx: Tx) => Promise<T>, context: Context): Promise<T> {
	let result: T;
	await runtime.commit(async (tx) => {
		result = await change(tx);
	}, context);
	return result!;
}

import { withAbortSignal } from "@earendil-works/chord/context";
import type { ExecutionEnv } from "../env/execution-env.ts";
import { sleepUntil } from "../tasks/sleep.ts";
import type { JsonValue } from "../types/json.ts";
import type { ToolExecutionApi } from "../types/tools.ts";
import type { Progress } from "./progress.ts";
import type { ToolRuntime } from "./runtime-types.ts";

/** What a call may use: a plain object, so that wrappers can spread it. */
export function createToolApi(
	runtime: ToolRuntime,
	callId: string,
	env: ExecutionEnv | undefined,
	intent: JsonValue | undefined,
	progress: Progress,
): ToolExecutionApi {
	return {
		taskId: runtime.taskId,
		conversationId: runtime.conversationId,
		callId,
		registry: runtime.registry,
		models: runtime.models,
		env,
		intent,
		agent: (context) => runtime.agent(context),
		output: progress.output,
		diagnostic: progress.diagnostic,
		details: progress.details,
		show: (view) => runtime.show(view),
		async commit(change, context) {
			let result: Awaited<ReturnType<typeof change>>;
			await runtime.commit(async (tx) => {
				result = await change(tx);
			}, context);
			return result! as never;
		},
		flush: (context) => runtime.flush(context),
		memo: runtime.memo.bind(runtime) as ToolExecutionApi["memo"],
		async createTask(task, input, options, context) {
			let id: number | undefined;
			await runtime.commit(async (tx) => {
				id = await tx.createTask(task, input, { ...options, conversationId: runtime.conversationId });
			}, context);
			return id as never;
		},
		getTask: (id, context) => runtime.getTask(id, context),
		waitForTask: (id, context) => runtime.waitForTask(id, context),
		conversation: (id, context) => runtime.conversation(id, context),
		now: () => runtime.now(),
		// Unlike a task's own sleep it doesn't say that nothing runs meanwhile: a call may sleep beside its work.
		sleep: (until, context, lengthMs = Math.max(0, until - runtime.now())) =>
			sleepUntil(runtime.clock, until, lengthMs, withAbortSignal(runtime.signal, context).abortSignal!),
		snapshot: runtime.snapshot.bind(runtime) as ToolExecutionApi["snapshot"],
		snapshotAsOf: runtime.snapshotAsOf.bind(runtime) as ToolExecutionApi["snapshotAsOf"],
		watchDoc: runtime.watchDoc.bind(runtime) as ToolExecutionApi["watchDoc"],
	};
}

import type { Conversation, Harness } from "../types/harness.ts";
import type { TaskId } from "../types/ids.ts";
import {
	defineTask,
	type JoinPolicy,
	type Task,
	type TaskOptions,
	type TaskOutcome,
	type TaskRuntime,
} from "../types/tasks.ts";
import { context } from "./open-harness.ts";

type StepInput = { name: string };
type StepState = { phase: "run" };
type ParentState = { phase: "start" } | { phase: "joined"; children: TaskId<string>[] };

export const completed = (result: string) =>
	({ status: "terminal", outcome: { status: "completed", result } }) as const;
export const failed = (message: string) =>
	({ status: "terminal", outcome: { status: "failed", error: { message } } }) as const;
export const aborted = { status: "terminal", outcome: { status: "aborted" } } as const;

/** Small tasks whose work waits for the test, and a record of everything that happened. */
export function createSteps() {
	const log: string[] = [];
	const gates = new Map<string, PromiseWithResolvers<"complete" | "fail" | "throw" | "nothing">>();
	function gate(name: string) {
		const known = gates.get(name) ?? Promise.withResolvers();
		gates.set(name, known as never);
		return known as PromiseWithResolvers<"complete" | "fail" | "throw" | "nothing">;
	}
	async function proceed(runtime: TaskRuntime<never, never, never, never>, name: string) {
		const { promise, reject } = Promise.withResolvers<never>();
		runtime.signal.addEventListener("abort", () => reject(runtime.signal.reason), { once: true });
		return Promise.race([gate(name).promise, promise]);
	}

	const Step = defineTask<StepInput, StepState, string>({
		name: "test.step",
		version: 1,
		initial: () => ({ phase: "run" }),
		phases: {
			run: async (task, runtime, taskContext) => {
				const { name } = task.input;
				log.push(`${name} runs`);
				const what = await proceed(runtime as never, name);
				if (what === "throw") throw new Error(`${name} broke`);
				if (what === "nothing") return;
				log.push(`${name} ends`);
				await runtime.commit(
					() => (what === "complete" ? completed(name) : failed(`${name} failed`)),
					taskContext,
				);
			},
		},
		abort: async (task, runtime, taskContext) => {
			log.push(`${task.input.name} aborts`);
			await runtime.commit(() => aborted, taskContext);
		},
	});

	const Parent = defineTask<{ children: string[]; policy: JoinPolicy; on?: TaskId[] }, ParentState, string>({
		name: "test.parent",
		version: 1,
		initial: () => ({ phase: "start" }),
		phases: {
			start: async (task, runtime, taskContext) => {
				log.push("parent starts");
				await runtime.commit(async (tx) => {
					const children: TaskId<string>[] = [];
					for (const name of task.input.children)
						children.push(
							await tx.createTask(Step, { name }, { ownership: { kind: "task", taskId: task.id } }),
						);
					const on = task.input.on ?? children;
					return {
						status: "waiting",
						checkpoint: { phase: "joined", children },
						on,
						policy: task.input.policy,
					};
				}, taskContext);
			},
			joined: async (task, runtime, taskContext) => {
				const outcomes = await runtime.outcomes(task.state.checkpoint.children, taskContext);
				log.push("parent joined");
				await runtime.commit(() => completed(outcomes.map(({ status }) => status).join()), taskContext);
			},
		},
		abort: async (_task, runtime, taskContext) => {
			log.push("parent aborts");
			await runtime.commit(() => aborted, taskContext);
		},
	});

	return { log, gate, Step, Parent, tasks: [Step, Parent] };
}

/** A task of its own commit. */
export function create<I, S extends { phase: string }, R, H extends object>(
	conversation: Conversation,
	task: Task<I, S, R, H>,
	input: I,
	options: TaskOptions = { ownership: { kind: "conversation" } },
): Promise<TaskId<R>> {
	return conversation.commit((tx) => tx.createTask(task, input, options), context);
}

export async function childrenOf(harness: Harness, owner: TaskId): Promise<TaskId<string>[]> {
	const { items } = await harness.tasks({}, 100, undefined, context);
	return items.filter((record) => record.owner === owner).map(({ id }) => id as TaskId<string>);
}

export async function outcomeOf<R>(harness: Harness, id: TaskId<R>): Promise<TaskOutcome<R>> {
	return (await harness.waitForTask(id, context)).state.outcome;
}

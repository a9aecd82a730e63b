import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { defineDoc } from "../../types/documents.ts";
import type { Conversation } from "../../types/harness.ts";
import type { TaskId } from "../../types/ids.ts";
import { defineTask } from "../../types/tasks.ts";

/**
 * A third kind of task, beside a model's answer and a tool's call: it has phases, children of its own, and a timer. It
 * writes what it does as entries, each of which must appear exactly once whatever happens in between.
 */
const PROBES = ["north", "east", "south"] as const;
const REST_MS = 20;

const Probe = defineTask<{ where: string }, { phase: "measure" }, string>({
	name: "test.probe",
	version: 1,
	initial: () => ({ phase: "measure" }),
	phases: {
		measure: async (task, runtime, taskContext) => {
			const { where } = task.input;
			await runtime.commit(async (tx) => {
				await tx.appendEntry(task.conversationId, { kind: "test.probe", data: where });
				return { status: "terminal", outcome: { status: "completed", result: where } };
			}, taskContext);
		},
	},
	abort: async () => {},
});

type SurveyState =
	| { phase: "send" }
	| { phase: "rest"; probes: TaskId<string>[] }
	| { phase: "sleep"; probes: TaskId<string>[]; until: number }
	| { phase: "report"; probes: TaskId<string>[] };

const Survey = defineTask<null, SurveyState, string>({
	name: "test.survey",
	version: 1,
	initial: () => ({ phase: "send" }),
	phases: {
		send: async (task, runtime, taskContext) => {
			await runtime.commit(async (tx) => {
				const probes: TaskId<string>[] = [];
				for (const where of PROBES)
					probes.push(
						await tx.createTask(Probe, { where }, { ownership: { kind: "task", taskId: task.id } }),
					);
				return { status: "waiting", checkpoint: { phase: "rest", probes }, on: probes, policy: "allSettled" };
			}, taskContext);
		},
		rest: async (task, runtime, taskContext) => {
			const { probes } = task.state.checkpoint;
			const until = runtime.now() + REST_MS;
			await runtime.commit(
				() => ({ status: "running", checkpoint: { phase: "sleep", probes, until } }),
				taskContext,
			);
		},
		sleep: async (task, runtime, taskContext) => {
			const { probes, until } = task.state.checkpoint;
			await runtime.sleep(until, taskContext);
			await runtime.commit(
				() => ({ status: "running", checkpoint: { phase: "report", probes } }),
				taskContext,
			);
		},
		report: async (task, runtime, taskContext) => {
			const outcomes = await runtime.outcomes(task.state.checkpoint.probes, taskContext);
			const result = outcomes
				.map((outcome) => (outcome.status === "completed" ? outcome.result : "?"))
				.join();
			await runtime.commit(async (tx) => {
				await tx.appendEntry(task.conversationId, { kind: "test.report", data: result });
				return { status: "terminal", outcome: { status: "completed", result } };
			}, taskContext);
		},
	},
	abort: async () => {},
});

export const surveyTasks = [Probe, Survey];

/** Which survey was started, stored with its start, so that no process starts a second one. */
const Started = defineDoc<{ survey?: number }>({
	kind: "test.started",
	version: 1,
	scope: "session",
	initial: () => ({}),
});

/** Starts the survey, or finds the one that an earlier process started. */
export function startSurvey(root: Conversation): Promise<TaskId<string>> {
	return root.commit(async (tx) => {
		const started = await tx.doc(Started);
		started.survey ??= await tx.createTask(Survey, null, { ownership: { kind: "conversation" } });
		return started.survey as TaskId<string>;
	}, context);
}

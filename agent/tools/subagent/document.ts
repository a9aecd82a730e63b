import { type ConversationId, defineDoc, type JsonObject, type TaskId } from "../../durable/index.ts";
import type { Budget } from "./budget.ts";

/** What is known of a subagent beside its conversation. Empty in a fork of it, which is nobody's subagent. */
export type SubagentState = {
	/** What it is for, in a few words. */
	description?: string;
	budget?: Budget;
	/** Its budget ran out: decided before anything of it was stopped. */
	stopped?: { by: "cost" | "time"; at: number };
};

export const SubagentDoc = defineDoc<SubagentState & JsonObject>({
	kind: "outlive.subagent",
	version: 1,
	scope: "conversation",
	history: "latest",
	fork: "initial",
	initial: () => ({}),
	checkpointWhen: () => true,
});

/** What a call has started, so that it finds it again in the next process. Stored with it, in one commit. */
export type StartedState = { conversation?: ConversationId; task?: TaskId };

export const StartedDoc = defineDoc<StartedState & JsonObject>({
	kind: "outlive.subagent-call",
	version: 1,
	scope: "task",
	initial: () => ({}),
});

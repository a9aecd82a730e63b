import type { ConversationId, TaskId } from "./ids.ts";
import type { WatchHandle } from "./session.ts";
import type { JoinPolicy, TaskOutcome } from "./tasks.ts";

/** What a live task is doing, as committed. */
export type TaskGraphState =
	| { readonly status: "pending" | "running"; readonly phase: string }
	| {
			readonly status: "waiting";
			readonly phase: string;
			readonly on: readonly TaskId[];
			readonly policy: JoinPolicy;
	  }
	/** Decided, but work it owns is still going on. */
	| { readonly status: "completing"; readonly outcome: TaskOutcome<unknown>["status"] };

export type TaskGraphNode = {
	readonly id: TaskId;
	readonly kind: string;
	readonly conversationId: ConversationId;
	/** The task that owns it; absent when its conversation does. */
	readonly owner?: TaskId;
	readonly background: boolean;
	readonly abortRequested: boolean;
	readonly state: TaskGraphState;
	/** Conversations it owns, in the order they were made. */
	readonly conversations: readonly ConversationId[];
};

export type TaskGraph = {
	/** Every live task, by its id in decimal. */
	readonly tasks: Readonly<Record<string, TaskGraphNode>>;
};

export type TaskGraphWatch = WatchHandle<TaskGraph>;

import type { ConversationRecord } from "../types/conversations.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";

/**
 * The tree of tasks and conversations, as seen from below: for each live task, whose ordinary owned work it is.
 *
 * A task belongs to the ordinary work of everything above it up to, and including, the first background task on the
 * way; a background task belongs to nobody's. Edges never change, so a task's answer is worked out once.
 */
export type OwnershipSource = {
	task(id: TaskId): Promise<AnyTaskRecord | undefined>;
	conversation(id: ConversationId): Promise<ConversationRecord | undefined>;
};

/** Everything above a task, nearest first. */
export type Ancestry = {
	readonly tasks: readonly { readonly id: TaskId; readonly background: boolean }[];
	readonly conversations: readonly ConversationId[];
	/** Those for whom the task is ordinary owned work. */
	readonly ordinary: { readonly tasks: readonly TaskId[]; readonly conversations: readonly ConversationId[] };
};

/** Walks up from a task to an ownerless conversation. */
export async function ancestryOf(task: AnyTaskRecord, source: OwnershipSource): Promise<Ancestry> {
	const tasks: { id: TaskId; background: boolean }[] = [];
	const conversations: ConversationId[] = [];
	const ordinaryTasks: TaskId[] = [];
	const ordinaryConversations: ConversationId[] = [];
	let crossed = task.background;
	let current: AnyTaskRecord | undefined = task;
	while (current !== undefined) {
		const owner: TaskId | undefined = current.owner ?? (await conversationOwner(current));
		current = owner === undefined ? undefined : await source.task(owner);
		if (current === undefined) break;
		tasks.push({ id: current.id, background: current.background });
		if (!crossed) ordinaryTasks.push(current.id);
		crossed ||= current.background;
	}
	return {
		tasks,
		conversations,
		ordinary: { tasks: ordinaryTasks, conversations: ordinaryConversations },
	};

	async function conversationOwner(owned: AnyTaskRecord): Promise<TaskId | undefined> {
		conversations.push(owned.conversationId);
		if (!crossed) ordinaryConversations.push(owned.conversationId);
		return (await source.conversation(owned.conversationId))?.owner?.taskId;
	}
}

/** How many live tasks are ordinary owned work of each task and conversation. */
export function createWorkCounts() {
	const tasks = new Map<TaskId, number>();
	const conversations = new Map<ConversationId, number>();

	function add<K>(counts: Map<K, number>, keys: readonly K[], by: 1 | -1): void {
		for (const key of keys) {
			const count = (counts.get(key) ?? 0) + by;
			if (count === 0) counts.delete(key);
			else counts.set(key, count);
		}
	}

	return {
		appear(ancestry: Ancestry): void {
			add(tasks, ancestry.ordinary.tasks, 1);
			add(conversations, ancestry.ordinary.conversations, 1);
		},
		disappear(ancestry: Ancestry): void {
			add(tasks, ancestry.ordinary.tasks, -1);
			add(conversations, ancestry.ordinary.conversations, -1);
		},
		below: (id: TaskId): number => tasks.get(id) ?? 0,
		in: (id: ConversationId): number => conversations.get(id) ?? 0,
	};
}

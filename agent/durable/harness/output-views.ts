import type { ConversationId, TaskId } from "../types/ids.ts";

/** The key under which a conversation's view shows running output that is stored elsewhere. */
export const OUTPUT_VIEW = "pi.output";

type Listener = (taskId: TaskId, before: string | undefined, after: string | undefined) => void;

/**
 * Running output of calls whose output is durable elsewhere, for watchers only. The one thing shown that no commit
 * stored: it can be made again from a spool, and storing it at every change would only cost.
 */
export function createOutputViews() {
	const views = new Map<ConversationId, Map<TaskId, string>>();
	const listeners = new Map<ConversationId, Set<Listener>>();

	return {
		show(conversationId: ConversationId, taskId: TaskId, view: string | undefined): void {
			const known = views.get(conversationId) ?? new Map<TaskId, string>();
			const before = known.get(taskId);
			if (before === view) return;
			if (view === undefined) known.delete(taskId);
			else known.set(taskId, view);
			if (known.size === 0) views.delete(conversationId);
			else views.set(conversationId, known);
			for (const listener of listeners.get(conversationId) ?? []) listener(taskId, before, view);
		},
		of(conversationId: ConversationId): Record<string, string> {
			return Object.fromEntries(views.get(conversationId) ?? []);
		},
		subscribe(conversationId: ConversationId, listener: Listener): () => void {
			const known = listeners.get(conversationId) ?? new Set();
			known.add(listener);
			listeners.set(conversationId, known);
			return () => {
				known.delete(listener);
				if (known.size === 0) listeners.delete(conversationId);
			};
		},
	};
}

export type OutputViews = ReturnType<typeof createOutputViews>;

import type {
	AnyTaskRecord,
	CommitPublication,
	ConversationId,
	ConversationRecord,
	DocumentChange,
	EntryRecord,
	Session,
	SubmissionRecord,
} from "../../durable/index.ts";

/** What one commit did to one conversation. */
export type ConversationChange = {
	readonly entries: readonly EntryRecord[];
	readonly tasks: readonly AnyTaskRecord[];
	readonly submissions: readonly SubmissionRecord[];
	readonly documents: readonly DocumentChange[];
	/** New conversations that a task of this one owns. */
	readonly children: readonly ConversationRecord[];
};

/** Hands each commit to those it concerns, so that what nobody watches costs nothing. */
export type CommitRouter = {
	/**
	 * Calls the listener on the commit line for each commit that touches the conversation: it must not throw, block or
	 * call the harness. Returns what ends that.
	 */
	subscribe(id: ConversationId, listener: (change: ConversationChange) => void): () => void;
	stop(): void;
};

type Collected = { -readonly [K in keyof ConversationChange]: ConversationChange[K][number][] };

export function createCommitRouter(session: Pick<Session, "subscribeCommits">): CommitRouter {
	const listeners = new Map<ConversationId, Set<(change: ConversationChange) => void>>();

	function route(publication: CommitPublication): void {
		const changes = new Map<ConversationId, Collected>();
		const of = (id: ConversationId | undefined): Collected | undefined => {
			if (id === undefined || !listeners.has(id)) return undefined;
			const change = changes.get(id) ?? {
				entries: [],
				tasks: [],
				submissions: [],
				documents: [],
				children: [],
			};
			changes.set(id, change);
			return change;
		};
		for (const entry of publication.entries) of(entry.conversationId)?.entries.push(entry);
		for (const task of publication.tasks) of(task.conversationId)?.tasks.push(task);
		for (const record of publication.submissions) of(record.conversationId)?.submissions.push(record);
		for (const record of publication.conversations) of(record.owner?.conversationId)?.children.push(record);
		for (const change of publication.documents) {
			const { scope } = change.record;
			if (scope.kind === "conversation") of(scope.conversationId)?.documents.push(change);
		}
		for (const [id, change] of changes)
			for (const listener of [...(listeners.get(id) ?? [])]) listener(change);
	}

	const stop = session.subscribeCommits((publication) => {
		if (listeners.size > 0) route(publication);
	});

	return {
		subscribe(id, listener) {
			const known = listeners.get(id) ?? new Set();
			known.add(listener);
			listeners.set(id, known);
			return () => {
				known.delete(listener);
				if (known.size === 0 && listeners.get(id) === known) listeners.delete(id);
			};
		},
		stop,
	};
}

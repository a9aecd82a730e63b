import type { Context } from "@earendil-works/chord";
import { applyImmutable } from "@earendil-works/chord/delta";
import { createStateSource } from "../session/replicated-state.ts";
import type { SessionCore } from "../session/session.ts";
import { createWatch } from "../session/watch.ts";
import type { LiveTasks } from "../tasks/live-tasks.ts";
import type { Op } from "../types/documents.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import type { JsonValue } from "../types/json.ts";
import type { AttachedReplicatedState, CommitPublication } from "../types/session.ts";
import type { Cursor, Storage } from "../types/storage.ts";
import type { TaskGraph, TaskGraphNode, TaskGraphState, TaskGraphWatch } from "../types/task-graph.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";

type Observer = { push(value: TaskGraph, ops: readonly Op[], context: Context): void; close(): void };

/** Every live task as one live value: present from the commit that creates it until the one that ends it. */
export function createTaskGraphs(
	session: SessionCore,
	liveTasks: LiveTasks,
	report: (error: unknown) => void,
) {
	const observers = new Set<Observer>();
	let mounted: { value: TaskGraph; stop(): void } | undefined;

	/** Attaches on the line, in the step that reads the graph. */
	async function attach<T>(
		context: Context,
		observe: (value: TaskGraph) => { readonly observer: Observer; readonly result: T },
	): Promise<T> {
		session.assertOpen();
		return session.onLine(async () => {
			const value = mounted?.value ?? (await readGraph(session.storage, liveTasks, context));
			session.assertOpen();
			context.abortSignal?.throwIfAborted();
			mounted ??= mount(value);
			const { observer, result } = observe(mounted.value);
			observers.add(observer);
			return result;
		});
	}

	function mount(value: TaskGraph): NonNullable<typeof mounted> {
		const subscriptions = [
			session.subscribeCommits((publication, context) => publish(publication, context)),
			session.subscribeClose(() => {
				for (const observer of [...observers]) observer.close();
			}),
		];
		return {
			value,
			stop() {
				for (const stop of subscriptions) stop();
			},
		};
	}

	function publish(publication: CommitPublication, context: Context): void {
		const ops = graphOperations(mounted!.value, publication);
		if (ops.length === 0) return;
		mounted!.value = applyImmutable<TaskGraph>(mounted!.value, ops);
		for (const observer of [...observers]) observer.push(mounted!.value, ops, context);
	}

	function detach(observer: Observer): void {
		observers.delete(observer);
		if (observers.size > 0) return;
		mounted?.stop();
		mounted = undefined;
	}

	return {
		state: (context: Context): Promise<AttachedReplicatedState<TaskGraph>> =>
			attach(context, (value) => {
				const source = createStateSource(value, () => detach(observer), report);
				const push: Observer["push"] = (next, _ops, from) => source.publish(next, from);
				const observer: Observer = { push, close: source.end };
				return { observer, result: source.state };
			}),
		watch: (context: Context): Promise<TaskGraphWatch> =>
			attach(context, (value) => {
				const source = createWatch(value, context, () => detach(observer));
				const close = () => source.end({ reason: "session_closed" });
				const observer: Observer = { push: source.push, close };
				return { observer, result: source.handle };
			}),
	};
}

export type TaskGraphs = ReturnType<typeof createTaskGraphs>;

async function readGraph(storage: Storage, liveTasks: LiveTasks, context: Context): Promise<TaskGraph> {
	const tasks: Record<string, TaskGraphNode> = {};
	for (const { record } of liveTasks.live.values()) {
		const conversations: ConversationId[] = [];
		let cursor: Cursor | undefined;
		do {
			const page = await storage.scanConversations({ ownerTaskId: record.id }, 200, cursor, context);
			for (const { id } of page.items) conversations.push(id);
			cursor = page.next;
		} while (cursor !== undefined);
		tasks[record.id] = nodeOf(record, conversations);
	}
	return { tasks };
}

function graphOperations(graph: TaskGraph, { tasks, conversations }: CommitPublication): Op[] {
	const ops: Op[] = [];
	const changed = new Map<TaskId, TaskGraphNode | undefined>();
	const nodeAt = (id: TaskId) => (changed.has(id) ? changed.get(id) : graph.tasks[id]);
	for (const record of tasks) {
		const known = nodeAt(record.id);
		const ended = record.state.status === "terminal";
		if (ended && known !== undefined) changed.set(record.id, undefined);
		if (!ended) changed.set(record.id, nodeOf(record, known?.conversations ?? []));
	}
	for (const { id, owner } of conversations) {
		const node = owner === undefined ? undefined : nodeAt(owner.taskId);
		if (node !== undefined) changed.set(node.id, { ...node, conversations: [...node.conversations, id] });
	}
	for (const [id, node] of changed) {
		if (node === undefined) ops.push(["d", ["tasks", String(id)]]);
		else if (!isSame(node, graph.tasks[id]))
			ops.push(["s", ["tasks", String(id)], node as unknown as JsonValue]);
	}
	return ops;
}

/** A new checkpoint of the same phase, say, shows nothing new. */
function isSame(node: TaskGraphNode, shown: TaskGraphNode | undefined): boolean {
	return shown !== undefined && JSON.stringify(node) === JSON.stringify(shown);
}

function nodeOf(record: AnyTaskRecord, conversations: readonly ConversationId[]): TaskGraphNode {
	const { id, kind, conversationId, owner, background, abortRequested } = record;
	return {
		id,
		kind,
		conversationId,
		...(owner === undefined ? {} : { owner }),
		background,
		abortRequested,
		state: graphState(record),
		conversations,
	};
}

function graphState({ state }: AnyTaskRecord): TaskGraphState {
	if (state.status === "completing" || state.status === "terminal")
		return { status: "completing", outcome: state.outcome.status };
	const { phase } = state.checkpoint as { phase: string };
	if (state.status === "waiting")
		return { status: "waiting", phase, on: [...state.on], policy: state.policy };
	return { status: state.status, phase };
}

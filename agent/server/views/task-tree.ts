import type { AnyTaskRecord, ConversationId, EntryId, TaskId } from "../../durable/index.ts";
import type { Spend, TaskNode } from "../../protocol/index.ts";

/** As many fit into a snapshot's share of tasks; of ended ones the oldest go first. */
export const MOST_TASKS = 300;
const MOST_NAME = 100;

export type TaskFacts = {
	readonly nameOfCall: (callId: string) => string | undefined;
	readonly conversationOf: (task: TaskId) => ConversationId | undefined;
	/** What a subagent's conversation has spent; the same object as long as it is the same. */
	readonly spendOf: (conversation: ConversationId) => Spend | undefined;
};

type Known = { record: AnyTaskRecord; readonly name: string };
type Made = {
	readonly record: AnyTaskRecord;
	readonly children: readonly TaskNode[];
	readonly conversation: string | undefined;
	readonly spend: Spend | undefined;
	readonly node: TaskNode;
};

/** The tasks of one conversation as a tree: those that live, and those that ended in the run that is going on. */
export function createTaskTree(facts: TaskFacts) {
	const known = new Map<TaskId, Known>();
	const made = new Map<TaskId, Made>();
	let roots: readonly TaskNode[] = [];

	function keep(record: AnyTaskRecord): void {
		const before = known.get(record.id);
		known.set(record.id, { record, name: before?.name ?? nameOf(record, facts) });
	}

	function forget(id: TaskId): void {
		known.delete(id);
		made.delete(id);
	}

	function forgetOldest(): void {
		for (const [id, { record }] of known) {
			if (known.size <= MOST_TASKS) return;
			if (isEnded(record)) forget(id);
		}
	}

	function childrenOf(owner: TaskId | undefined, byOwner: ReadonlyMap<TaskId | undefined, Known[]>) {
		return (byOwner.get(owner) ?? []).map((task) => nodeOf(task, byOwner));
	}

	function nodeOf({ record, name }: Known, byOwner: ReadonlyMap<TaskId | undefined, Known[]>): TaskNode {
		const conversationId = facts.conversationOf(record.id);
		const spend = conversationId === undefined ? undefined : facts.spendOf(conversationId);
		const conversation = conversationId?.toString();
		const children = childrenOf(record.id, byOwner);
		const last = made.get(record.id);
		if (
			last?.record === record &&
			last.conversation === conversation &&
			last.spend === spend &&
			isSameList(last.children, children)
		)
			return last.node;
		const node = toNode(record, name, conversation, spend, children);
		made.set(record.id, { record, children, conversation, spend, node });
		return node;
	}

	return {
		/** Takes what a commit, or the store, says of tasks, oldest first. */
		adopt(records: readonly AnyTaskRecord[]): void {
			for (const record of records) keep(record);
		},
		/** Forgets what ended, but for tasks that are newer than `since`: the entry that the current run began with. */
		forgetEnded(since: EntryId | undefined): void {
			for (const [id, { record }] of known)
				if (isEnded(record) && (since === undefined || id < since)) forget(id);
			forgetOldest();
		},
		startedAt: (id: TaskId): number | undefined => known.get(id)?.record.startedAt,
		/** The same list as long as nothing in it changed. */
		compose(): readonly TaskNode[] {
			const byOwner = new Map<TaskId | undefined, Known[]>();
			for (const task of known.values()) {
				const { owner } = task.record;
				// One whose owner is not shown stands at the top.
				const key = owner !== undefined && known.has(owner) ? owner : undefined;
				byOwner.set(key, [...(byOwner.get(key) ?? []), task]);
			}
			const next = childrenOf(undefined, byOwner);
			if (!isSameList(roots, next)) roots = next;
			return roots;
		},
	};
}

export type TaskTree = ReturnType<typeof createTaskTree>;

function isEnded(record: AnyTaskRecord): boolean {
	return record.state.status === "terminal";
}

function isSameList(left: readonly TaskNode[], right: readonly TaskNode[]): boolean {
	return left.length === right.length && left.every((node, index) => node === right[index]);
}

function toNode(
	record: AnyTaskRecord,
	name: string,
	conversation: string | undefined,
	spend: Spend | undefined,
	children: TaskNode[],
): TaskNode {
	const callId = callOf(record);
	return {
		id: String(record.id),
		kind: kindOf(record),
		name,
		status: statusOf(record),
		background: record.background,
		...(record.startedAt === undefined ? {} : { startedAt: record.startedAt }),
		...(record.endedAt === undefined ? {} : { endedAt: record.endedAt }),
		...(callId === undefined ? {} : { callId }),
		...(conversation === undefined ? {} : { conversation }),
		...(spend === undefined ? {} : { spend }),
		children,
	};
}

function kindOf({ kind }: AnyTaskRecord): TaskNode["kind"] {
	switch (kind) {
		case "pi.generation":
			return "generation";
		case "pi.tool":
			return "tool";
		case "pi.compaction":
			return "compaction";
		default:
			return "other";
	}
}

function nameOf(record: AnyTaskRecord, facts: TaskFacts): string {
	const callId = callOf(record);
	const name = callId === undefined ? undefined : facts.nameOfCall(callId);
	return (name ?? record.kind.replace(/^pi\./, "")).slice(0, MOST_NAME).toWellFormed();
}

/** The call that a tool's task carries out, by its input. */
function callOf(record: AnyTaskRecord): string | undefined {
	if (record.kind !== "pi.tool") return undefined;
	const { callId } = record.input as { callId?: unknown };
	return typeof callId === "string" ? callId : undefined;
}

function statusOf({ state }: AnyTaskRecord): TaskNode["status"] {
	if (state.status !== "terminal") return state.status;
	switch (state.outcome.status) {
		case "completed":
			return "done";
		case "failed":
		case "faulted":
			return "failed";
		case "aborted":
		case "orphaned":
			return "aborted";
	}
}

import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import {
	type ConversationId,
	type ConversationRecord,
	type Cursor,
	type EntryRecord,
	type Harness,
	type TaskId,
	UsageDoc,
	type UsageState,
} from "../../durable/index.ts";
import type { Spend } from "../../protocol/index.ts";
import { addSpends } from "../views/spend.ts";
import { spendsOf } from "../views/usage-view.ts";
import type { CommitRouter } from "./commit-router.ts";

/** The conversations that a conversation's tasks own, those that their tasks own, and so on, with what they spent. */
export type Subagents = {
	/** The conversation that a task of the watched one owns. */
	conversationOf(task: TaskId): ConversationId | undefined;
	/** What a subagent and those below it spent; the same object as long as it is the same. */
	spendOf(conversation: ConversationId): Spend | undefined;
	/** What all of them spent; undefined while there are none. */
	total(): Spend | undefined;
	/** A new conversation that a task of the watched one owns. */
	add(child: ConversationRecord): void;
	stop(): void;
};

type Member = {
	readonly record: ConversationRecord;
	readonly stop: () => void;
	usage: UsageState | undefined;
};

/**
 * @param children those there were when the router was subscribed to for the watched conversation
 * @param onChange called after each change, from a commit too
 */
export function followSubagents(
	root: ConversationId,
	children: readonly ConversationRecord[],
	deps: {
		readonly harness: Harness;
		readonly router: CommitRouter;
		readonly onFailure: (error: unknown) => void;
	},
	onChange: () => void,
): Subagents {
	const { harness, router, onFailure } = deps;
	const members = new Map<ConversationId, Member>();
	const byTask = new Map<TaskId, ConversationId>();
	const spends = new Map<ConversationId, Spend>();
	let stopped = false;

	function add(record: ConversationRecord): void {
		if (stopped || members.has(record.id) || record.owner === undefined) return;
		const stop = router.subscribe(record.id, ({ children: grandchildren, documents }) => {
			for (const child of grandchildren) add(child);
			for (const { record: document, value } of documents)
				if (document.kind === UsageDoc.definition.kind) setUsage(record.id, value as UsageState | null);
		});
		members.set(record.id, { record, stop, usage: undefined });
		if (record.owner.conversationId === root) byTask.set(record.owner.taskId, record.id);
		load(record.id).catch(onFailure);
		onChange();
	}

	/** What was there before the subscription; a change that came meanwhile is newer. */
	async function load(id: ConversationId): Promise<void> {
		const usage = await harness.snapshot(UsageDoc, id, BACKGROUND_CONTEXT);
		if (usage !== undefined && members.get(id)?.usage === undefined)
			setUsage(id, usage as unknown as UsageState);
		for (const child of await ownedBy(harness, id)) add(child);
	}

	function setUsage(id: ConversationId, usage: UsageState | null): void {
		const member = members.get(id);
		if (member === undefined) return;
		member.usage = usage ?? undefined;
		spends.clear();
		onChange();
	}

	function below(id: ConversationId): Member[] {
		return [...members.values()].filter(({ record }) => record.owner?.conversationId === id);
	}

	function spendsBelow(member: Member): Spend[] {
		const own = member.usage === undefined ? [] : spendsOf(member.usage);
		return [...own, ...below(member.record.id).flatMap(spendsBelow)];
	}

	for (const child of children) add(child);

	return {
		add,
		conversationOf: (task) => byTask.get(task),
		spendOf(conversation) {
			const member = members.get(conversation);
			if (member === undefined) return undefined;
			const spend = spends.get(conversation) ?? addSpends(spendsBelow(member));
			spends.set(conversation, spend);
			return spend;
		},
		total() {
			if (members.size === 0) return undefined;
			const spend = spends.get(root) ?? addSpends(below(root).flatMap(spendsBelow));
			spends.set(root, spend);
			return spend;
		},
		stop() {
			stopped = true;
			for (const { stop } of members.values()) stop();
		},
	};
}

/** What a subagent and those below it spent, read anew. */
export async function readSpend(harness: Harness, id: ConversationId): Promise<Spend> {
	const usage = (await harness.snapshot(UsageDoc, id, BACKGROUND_CONTEXT)) as UsageState | undefined;
	const spends = usage === undefined ? [] : spendsOf(usage);
	for (const child of await ownedBy(harness, id)) spends.push(await readSpend(harness, child.id));
	return addSpends(spends);
}

/** The conversation that the task of each of these entries owned. What a fork inherits, its ancestors' tasks did. */
export async function subagentsOf(
	harness: Harness,
	entries: readonly EntryRecord[],
): Promise<ReadonlyMap<TaskId, ConversationId>> {
	const byTask = new Map<TaskId, ConversationId>();
	for (const id of new Set(entries.map(({ conversationId }) => conversationId)))
		for (const { id: owned, owner } of await ownedBy(harness, id))
			if (owner !== undefined) byTask.set(owner.taskId, owned);
	return byTask;
}

/** Every conversation that a task of this one owns. */
export async function ownedBy(harness: Harness, id: ConversationId): Promise<ConversationRecord[]> {
	const owned: ConversationRecord[] = [];
	let cursor: Cursor | undefined;
	do {
		const page = await harness.conversations({ ownerConversationId: id }, 200, cursor, BACKGROUND_CONTEXT);
		owned.push(...page.items);
		cursor = page.next;
	} while (cursor !== undefined);
	return owned;
}

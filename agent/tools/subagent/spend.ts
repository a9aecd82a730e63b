import type { Context } from "@earendil-works/chord";
import {
	type ConversationId,
	type ConversationRecord,
	type Cursor,
	type Harness,
	UsageDoc,
	type UsageState,
} from "../../durable/index.ts";

/** Where spend can be read and followed. */
export type SpendSource = Pick<Harness, "subscribeCommits" | "snapshot" | "conversations">;

/** What a conversation and everything below it has spent so far, in US dollars. */
export async function spentBy(source: SpendSource, root: ConversationId, context: Context): Promise<number> {
	let spent = 0;
	for await (const { id } of below(source, root, context)) spent += await costOf(source, id, context);
	return spent;
}

/**
 * Tells of what a conversation and everything below it has spent, once now and after each change.
 *
 * @param onSpent called from commits too: it must not wait for the harness
 * @returns ends it
 */
export async function followSpend(
	source: SpendSource,
	root: ConversationId,
	onSpent: (cost: number) => void,
	context: Context,
): Promise<() => void> {
	const members = new Set<ConversationId>([root]);
	const costs = new Map<ConversationId, number>();
	const tell = () => onSpent([...costs.values()].reduce((sum, cost) => sum + cost, 0));

	// Followed first and read after it, so that nothing falls between the two; what a commit said is newer.
	const stop = source.subscribeCommits(({ conversations, documents }) => {
		for (const { id, owner } of conversations)
			if (owner !== undefined && members.has(owner.conversationId)) members.add(id);
		let changed = false;
		for (const { record, value } of documents) {
			if (record.kind !== UsageDoc.definition.kind || record.scope.kind !== "conversation") continue;
			if (!members.has(record.scope.conversationId)) continue;
			costs.set(record.scope.conversationId, costIn(value as UsageState | null));
			changed = true;
		}
		if (changed) tell();
	});
	try {
		for await (const { id } of below(source, root, context)) {
			members.add(id);
			const cost = await costOf(source, id, context);
			if (!costs.has(id)) costs.set(id, cost);
		}
	} catch (error) {
		stop();
		throw error;
	}
	tell();
	return stop;
}

async function* below(
	source: SpendSource,
	root: ConversationId,
	context: Context,
): AsyncGenerator<Pick<ConversationRecord, "id">> {
	yield { id: root };
	let cursor: Cursor | undefined;
	do {
		const page = await source.conversations({ ownerConversationId: root }, 100, cursor, context);
		for (const { id } of page.items) yield* below(source, id, context);
		cursor = page.next;
	} while (cursor !== undefined);
}

async function costOf(source: SpendSource, id: ConversationId, context: Context): Promise<number> {
	return costIn((await source.snapshot(UsageDoc, id, context)) as UsageState | undefined);
}

function costIn(usage: UsageState | null | undefined): number {
	const ledgers = [usage?.models ?? {}, usage?.tools ?? {}];
	return ledgers.flatMap(Object.values).reduce((sum, { cost }) => sum + cost.total, 0);
}

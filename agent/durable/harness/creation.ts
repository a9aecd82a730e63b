import type { Context } from "@earendil-works/chord";
import type { SessionCore } from "../session/session.ts";
import type { InternalTx } from "../session/transaction.ts";
import type { AgentState } from "../types/agent.ts";
import type { ConversationRecord } from "../types/conversations.ts";
import type { ConversationCreateOptions, HarnessOptions } from "../types/harness.ts";
import type { ConversationId } from "../types/ids.ts";
import { AgentDoc, InboxDoc, LiveDoc, ProviderDoc, UsageDoc } from "./built-in-documents.ts";
import { configure } from "./configure.ts";

/**
 * What every conversation starts with, in the commit that creates it. A task's conversation starts as a copy of its
 * owner's agent; a fork keeps its parent's, as of its entry, which the storage copies.
 */
export async function initializeConversation(
	tx: InternalTx,
	conversation: ConversationRecord,
	created: HarnessOptions["conversationCreated"],
): Promise<void> {
	const { id, owner, parent } = conversation;
	await tx.doc(LiveDoc, id);
	await tx.doc(InboxDoc, id);
	await tx.doc(UsageDoc, id);
	await tx.doc(ProviderDoc, id);
	if (parent === undefined) {
		const agent = (await tx.doc(AgentDoc, id)) as AgentState;
		if (owner !== undefined) Object.assign(agent, plain(await tx.doc(AgentDoc, owner.conversationId)));
	}
	await created?.(tx, conversation);
}

/**
 * Commits a conversation that `create` makes, with the choices and the writes its caller adds, and flushes it. Resolves
 * to its id.
 */
export async function commitConversation(
	session: SessionCore,
	create: (tx: InternalTx) => Promise<ConversationRecord>,
	{ agent, init }: Omit<ConversationCreateOptions, "ownership">,
	context: Context,
): Promise<ConversationId> {
	const id = await session.commitInternal(async (tx) => {
		const created = await create(tx);
		if (agent !== undefined) await configure(tx, created.id, agent);
		await init?.(tx, created.id);
		return created.id;
	}, context);
	await session.flush(context);
	return id;
}

function plain<T>(draft: T): T {
	return JSON.parse(JSON.stringify(draft)) as T;
}

import type { Context } from "@earendil-works/chord";
import type { InternalTx } from "../session/transaction.ts";
import type { ConversationHandle } from "../types/conversation-handle.ts";
import type { Conversation } from "../types/harness.ts";
import type { ConversationId } from "../types/ids.ts";
import { resetDraft } from "./built-in-entries.ts";
import { configure } from "./configure.ts";
import { commitConversation } from "./creation.ts";
import type { HarnessParts } from "./harness-api.ts";
import type { Work } from "./work.ts";

/** The handle of one conversation: every call goes to the harness, nothing is kept here. */
export function createConversationHandle(parts: HarnessParts, id: ConversationId): Conversation {
	const { session, work, views } = parts;
	const commit: Conversation["commit"] = (change, context: Context) =>
		session.commitInternal(change, context, { conversationId: id });
	return {
		id,
		submit: (draft, context) => work.submit(id, draft, context),
		async agent(context) {
			return parts.agentOf(id, parts.registry.snapshot(), context);
		},
		configure: (change, context) => commit((tx) => configure(tx, id, change), context),
		commit,
		context: (context, options) => parts.readContext(id, options?.at, context),
		async entries(query, limit, cursor, context) {
			session.assertOpen();
			return session.storage.scanEntries({ ...query, conversationId: id }, limit, cursor, context);
		},
		async fork(at, { ownership, ...start }, context) {
			const create = (tx: InternalTx) => tx.forkConversation(id, at, { ownership });
			return createConversationHandle(parts, await commitConversation(session, create, start, context));
		},
		compact: (instructions, context) => work.compact(id, instructions, context),
		async reset(handoff, context) {
			await work.submit(id, { type: "write", entry: resetDraft(handoff, parts.now()) }, context);
		},
		abort: (context, options) => work.abortConversation(id, options ?? {}, context),
		tryNow: (context) => work.tryNow(id, context),
		waitForIdle: (context) => work.waitForConversation(id, context),
		viewState: (context, options) => views.state(id, options, context),
		watch: (context, options) => views.watch(id, options, context),
	};
}

/** A conversation as a task or a tool uses it. Everything rejects once `guard()` throws: the invocation is over. */
export function createTaskConversationHandle(
	work: Work,
	id: ConversationId,
	guard: () => void,
): ConversationHandle {
	return {
		id,
		async submit(draft, context) {
			guard();
			return work.submit(id, draft, context, guard);
		},
		async abort(context) {
			guard();
			await work.abortConversation(id, {}, context);
		},
		async waitForIdle(context) {
			guard();
			await work.waitForConversation(id, context);
		},
	};
}

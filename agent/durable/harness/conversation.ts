import type { Context } from "@earendil-works/chord";
import type { InternalTx } from "../session/transaction.ts";
import type { Conversation } from "../types/harness.ts";
import type { ConversationId } from "../types/ids.ts";
import { configure } from "./configure.ts";
import type { HarnessCore } from "./harness.ts";

/** The handle of one conversation: every call goes to the harness, nothing is kept here. */
export function createConversationHandle(core: HarnessCore, id: ConversationId): Conversation {
	const commit: Conversation["commit"] = (change, context: Context) =>
		core.session.commitInternal((tx: InternalTx) => change(tx.bound({ conversationId: id })), context);
	return {
		id,
		submit: (draft, context) => core.submit(id, draft, context),
		agent: (context) => core.resolveAgent(id, core.registry.snapshot(), context),
		configure: (change, context) => commit((tx) => configure(tx, id, change), context),
		commit,
		context: (context, options) => core.readContext(id, options?.at, context),
		entries: (query, limit, cursor, context) =>
			core.session.storage.scanEntries({ ...query, conversationId: id }, limit, cursor, context),
		abort: (context, options) => core.abortConversation(id, options ?? {}, context),
		waitForIdle: (context) => core.waitForIdle(id, context),
		viewState: (context, options) => core.views.state(id, options, context),
		watch: (context, options) => core.views.watch(id, options, context),
	};
}

import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { Conversation, ConversationId, Harness } from "../durable/index.ts";
import { protocolError } from "../protocol/index.ts";
import type { SessionSnapshot, Sessions } from "../sessions/service.ts";

/** A conversation that clients may look at: a session's own, or a subagent's below one. */
export type Located = {
	readonly conversation: Conversation;
	/** The session it is, or the one at the top. */
	readonly session: SessionSnapshot;
	/** Of a subagent: the conversation whose task owns it, and the call of that task. */
	readonly parent?: { readonly conversation: ConversationId; readonly call: string };
};

/** Throws `not_found` for a conversation that is neither. */
export async function locate(
	{ harness, sessions }: { readonly harness: Harness; readonly sessions: Sessions },
	id: ConversationId,
): Promise<Located> {
	const conversation = await harness.conversation(id, BACKGROUND_CONTEXT);
	if (conversation === undefined) throw noSession(id);
	const own = sessions.get(id);
	if (own !== undefined) return { conversation, session: own };
	const parent = await ownerOf(harness, id);
	if (parent === undefined) throw noSession(id);
	for (let above: typeof parent | undefined = parent; above !== undefined; ) {
		const session = sessions.get(above.conversation);
		if (session !== undefined) return { conversation, session, parent };
		above = await ownerOf(harness, above.conversation);
	}
	throw noSession(id);
}

async function ownerOf(harness: Harness, id: ConversationId): Promise<Located["parent"]> {
	const record = await harness.commit((tx) => tx.conversation(id), BACKGROUND_CONTEXT);
	if (record?.owner === undefined) return undefined;
	const task = await harness.getTask(record.owner.taskId, BACKGROUND_CONTEXT);
	const { callId } = (task?.input ?? {}) as { callId?: unknown };
	return {
		conversation: record.owner.conversationId,
		call: typeof callId === "string" ? callId : String(record.owner.taskId),
	};
}

function noSession(id: ConversationId) {
	return protocolError("not_found", `There is no session ${id}; list them and use one of their ids.`);
}

import type { Context } from "@earendil-works/chord";
import type { ConversationId, Cursor, Harness } from "../durable/index.ts";
import type { History, HistoryScope } from "../tools/search-history.ts";
import type { SessionSnapshot, Sessions } from "./service.ts";

/** What has been said in sessions, archived ones included, for a model to look through. */
export function historyOf(harness: Harness, sessions: Pick<Sessions, "list">): History {
	return {
		search: harness.search,
		async conversations(from, scope, context) {
			const all = sessions.list({ archived: true });
			const own = (await conversationsOf(harness, all, context)).get(from);
			const within = await conversationsOf(harness, all.filter(isIn(scope, own)), context);
			return new Map([...within].map(([id, { record }]) => [id, record.title]));
		},
	};
}

function isIn(scope: HistoryScope, own: SessionSnapshot | undefined): (session: SessionSnapshot) => boolean {
	switch (scope) {
		case "session":
			return ({ id }) => id === own?.id;
		case "project":
			return ({ record }) => record.directory === own?.record.directory;
		case "all":
			return () => true;
	}
}

/** Every conversation of the sessions, with the session it belongs to. An owner is older than what it owns. */
export async function conversationsOf(
	harness: Harness,
	sessions: readonly SessionSnapshot[],
	context: Context,
): Promise<ReadonlyMap<ConversationId, SessionSnapshot>> {
	const within = new Map(sessions.map((session) => [session.id, session]));
	let cursor: Cursor | undefined;
	do {
		const page = await harness.conversations({}, 500, cursor, context);
		for (const { id, owner } of page.items) {
			const session = owner && within.get(owner.conversationId);
			if (session !== undefined && !within.has(id)) within.set(id, session);
		}
		cursor = page.next;
	} while (cursor !== undefined);
	return within;
}

/** The conversations of the subagents below this one, at any depth. */
export async function conversationsBelow(
	harness: Pick<Harness, "conversations">,
	id: ConversationId,
	context: Context,
): Promise<ConversationId[]> {
	const found: ConversationId[] = [];
	let cursor: Cursor | undefined;
	do {
		const page = await harness.conversations({ ownerConversationId: id }, 200, cursor, context);
		for (const owned of page.items)
			found.push(owned.id, ...(await conversationsBelow(harness, owned.id, context)));
		cursor = page.next;
	} while (cursor !== undefined);
	return found;
}

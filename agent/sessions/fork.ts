import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { ConversationId, EntryId, Tx } from "../durable/index.ts";
import { SessionDoc } from "./documents.ts";
import { noSession, type Parts, sessionIn } from "./parts.ts";
import { commitOnce, onceRequest, resultOf } from "./requests.ts";
import { SessionError, type SessionRecord, type SessionSnapshot, type Sessions } from "./service.ts";
import { titleOfFork } from "./titles.ts";

/** One commit makes the fork, its record, and the request's answer. */
export async function forkSession(
	parts: Parts,
	{ id, at, requestId }: Parameters<Sessions["fork"]>[0],
): Promise<SessionSnapshot> {
	const { harness, index } = parts;
	const request = requestId === undefined ? undefined : onceRequest(requestId, "session.fork", { id, at });
	const before = request && (await resultOf(harness, request));
	if (before !== undefined) return (await index.arrived(before.session)) ?? fail(before.session);
	const { record } = sessionIn(parts, id);
	await assertShows(parts, id, at);
	const { session } = await commitOnce(harness, request, (tx) => forkIn(tx, parts, { id, at, record }));
	return (await index.arrived(session)) ?? fail(session);
}

async function forkIn(
	tx: Tx,
	{ clock }: Parts,
	parent: { readonly id: ConversationId; readonly at: EntryId; readonly record: SessionRecord },
) {
	const { id, at, record } = parent;
	const { id: session } = await tx.forkConversation(id, at, { ownership: { kind: "ownerless" } });
	const fork: SessionRecord = {
		directory: record.directory,
		title: titleOfFork(record.title),
		titleFrom: "message",
		createdAt: clock.now(),
		seen: at,
		forkedFrom: { session: id, entry: at },
	};
	Object.assign(await tx.doc(SessionDoc, session), fork);
	return { session, submission: null };
}

async function assertShows({ harness }: Parts, conversationId: ConversationId, at: EntryId): Promise<void> {
	const query = { conversationId, minEntryId: at, maxEntryId: at };
	const page = await harness.entries(query, 1, undefined, BACKGROUND_CONTEXT);
	if (page.items.length > 0) return;
	throw new SessionError(
		"not_found",
		`There is no entry ${at} in session ${conversationId}. Name one that the session shows.`,
	);
}

function fail(id: ConversationId): never {
	throw noSession(id);
}

import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import {
	type ConversationId,
	configure,
	type EntryId,
	LiveDoc,
	type LiveState,
	type ModelRef,
	type Tx,
} from "../durable/index.ts";
import { SessionDoc } from "./documents.ts";
import { conversationsBelow } from "./history.ts";
import { ModelEntry, modelName } from "./model-entry.ts";
import { assertModel, type Parts, sessionIn } from "./parts.ts";
import { rememberModel } from "./project-models.ts";
import { SessionError, type SessionRecord, type SessionSnapshot, type Sessions } from "./service.ts";
import { titleFromFolder, writtenTitle } from "./titles.ts";

type Change = Parameters<Sessions["configure"]>[1];

/**
 * Changes what was chosen for a session, in one commit. Archiving ends its work and its background processes first;
 * `null` as the model means the default one; a blank title gives the naming back to the product.
 */
export async function configureSession(
	parts: Parts,
	id: ConversationId,
	change: Change,
): Promise<SessionSnapshot> {
	const { harness } = parts;
	const session = sessionIn(parts, id);
	if (change.model !== undefined && change.model !== null) await assertModel(parts, change.model);
	const archives = change.archived === true && session.record.archivedAt === undefined;
	const subagents = archives ? await endWork(parts, id) : [];
	const { directory } = session.record;
	const model = change.model === null ? await parts.defaultModel() : change.model;
	await harness.commit(async (tx) => {
		for (const each of archives ? [id, ...subagents] : []) if (await isBusy(tx, each)) throw messageCameIn();
		await configure(tx, id, { model, thinkingLevel: change.thinkingLevel, tools: change.tools });
		if (change.model !== undefined) await rememberModel(tx, directory, change.model);
		if (model !== undefined) await markModel(tx, session, model);
		applyChange(await tx.doc(SessionDoc, id), change, parts.clock.now());
	}, BACKGROUND_CONTEXT);
	return sessionIn(parts, id);
}

/** Notes up to which entry a person has read; an older one changes nothing. */
export async function markSeen(parts: Parts, id: ConversationId, entry: EntryId): Promise<SessionSnapshot> {
	const { record, newestEntry } = sessionIn(parts, id);
	if (newestEntry === undefined || entry > newestEntry)
		throw new SessionError(
			"not_found",
			`There is no entry ${entry} in session ${id} yet. Name one that the session shows.`,
		);
	if (entry > (record.seen ?? 0))
		await parts.harness.commit(async (tx) => {
			const stored = await tx.doc(SessionDoc, id);
			stored.seen = Math.max(stored.seen ?? 0, entry) as EntryId;
		}, BACKGROUND_CONTEXT);
	return sessionIn(parts, id);
}

/** Gives a session the title that a model found for it, unless a person has named it. */
export async function retitleSession(
	parts: Parts,
	id: ConversationId,
	title: string,
): Promise<SessionSnapshot> {
	const written = writtenTitle(title);
	sessionIn(parts, id);
	if (written !== undefined)
		await parts.harness.commit(async (tx) => {
			const record = await tx.doc(SessionDoc, id);
			if (record.titleFrom !== "person") Object.assign(record, { title: written, titleFrom: "model" });
		}, BACKGROUND_CONTEXT);
	return sessionIn(parts, id);
}

/** A quiet mark where another model takes over; none before anything was said. */
async function markModel(tx: Tx, { id, model, newestEntry }: SessionSnapshot, next: ModelRef): Promise<void> {
	const from = model === undefined ? null : modelName(model);
	const to = modelName(next);
	if (from !== to && newestEntry !== undefined) await tx.appendEntry(ModelEntry, id, { data: { from, to } });
}

/** Ends what goes on in a session and below it; returns the conversations below. */
async function endWork({ harness, endBackground }: Parts, id: ConversationId): Promise<ConversationId[]> {
	const conversation = await harness.conversation(id, BACKGROUND_CONTEXT);
	await conversation?.abort(BACKGROUND_CONTEXT, { background: true });
	const subagents = await conversationsBelow(harness, id, BACKGROUND_CONTEXT);
	for (const each of [id, ...subagents]) await endBackground(each);
	return subagents;
}

async function isBusy(tx: Tx, id: ConversationId): Promise<boolean> {
	return ((await tx.doc(LiveDoc, id)) as LiveState).run !== undefined;
}

function applyChange(record: SessionRecord, { title, archived }: Change, now: number): void {
	if (title !== undefined) {
		const written = writtenTitle(title);
		record.title = written ?? titleFromFolder(record.directory);
		record.titleFrom = written === undefined ? "folder" : "person";
	}
	if (archived === true) record.archivedAt ??= now;
	if (archived === false) delete record.archivedAt;
}

function messageCameIn(): SessionError {
	return new SessionError(
		"busy",
		"The session was stopped, but a new message came in before it could be archived. Archive it again if it still should be.",
	);
}

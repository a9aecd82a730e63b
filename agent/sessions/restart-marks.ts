import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import {
	type ConversationId,
	type JsonObject,
	LiveDoc,
	type LiveState,
	type SubmissionId,
	type Tx,
} from "../durable/index.ts";
import type { Parts } from "./parts.ts";
import { RestartEntry } from "./restart-entry.ts";
import type { SessionSnapshot } from "./service.ts";

const TEXT = "The agent was restarted; went on.";

/**
 * Marks, in one commit, every session with a run that the last process left unfinished. Called before anything goes on.
 * A process that ends again before a run gets on leaves one mark of it, not one each time.
 *
 * @returns how many were marked
 */
export async function markRestarts({ harness, index }: Parts): Promise<number> {
	const busy = index
		.all()
		.filter(({ activity }) => activity.kind === "running" || activity.kind === "waiting");
	if (busy.length === 0) return 0;
	return harness.commit(async (tx) => {
		const unmarked: { readonly id: ConversationId; readonly run: SubmissionId }[] = [];
		for (const session of busy) {
			const run = await unmarkedRun(tx, session);
			if (run !== undefined) unmarked.push({ id: session.id, run });
		}
		for (const { id, run } of unmarked) await tx.appendEntry(RestartEntry, id, { data: { text: TEXT, run } });
		return unmarked.length;
	}, BACKGROUND_CONTEXT);
}

/** The run that goes on in a session, by the message that started it, unless its newest entry is a mark already. */
async function unmarkedRun(tx: Tx, { id, newestEntry }: SessionSnapshot): Promise<SubmissionId | undefined> {
	const live = (await tx.doc(LiveDoc, id)) as LiveState & JsonObject;
	const newest = newestEntry === undefined ? undefined : await tx.entry(newestEntry);
	return RestartEntry.is(newest) ? undefined : live.run?.inputs[0];
}

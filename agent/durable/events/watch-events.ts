import type { Context } from "@earendil-works/chord";
import { generationIdentity } from "../generation/token.ts";
import { createWatch } from "../session/watch.ts";
import type { AgentEvent, AgentEventStream } from "../types/agent-events.ts";
import type { Harness } from "../types/harness.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import { type ConversationState, snapshotOf, stateOf } from "./conversation-state.ts";
import { createTranslator } from "./translate.ts";

/** The active transcript is told whole, however long it is. */
const ALL = 1_000_000;

/** One commit's events, with the state after it for a consumer that fell behind. */
type Frame = { readonly state: ConversationState; readonly events: readonly AgentEvent[] };

/**
 * One conversation as events in the manner of coding agents: messages, calls, runs, each told after the commit that
 * makes it true. It covers this conversation only, not those its tasks own. A consumer that falls more than 100 commits
 * behind gets one `snapshot` in their place. Rejects when there is no such conversation. Experimental.
 */
export async function watchEvents(
	harness: Harness,
	conversationId: ConversationId,
	context: Context,
): Promise<AgentEventStream> {
	const conversation = await harness.conversation(conversationId, context);
	if (conversation === undefined) throw new Error(`Conversation ${conversationId} doesn't exist.`);
	const view = await conversation.viewState(context, { tail: ALL });
	try {
		// On the line, so that the snapshot and the first event are neighbours.
		return await harness.commit(async () => {
			const completing = await decidedGenerations(harness, conversationId, context);
			return openStream(harness, conversationId, stateOf(view.value), completing, context);
		}, context);
	} finally {
		view.dispose();
	}
}

async function decidedGenerations(
	harness: Harness,
	conversationId: ConversationId,
	context: Context,
): Promise<TaskId[]> {
	const query = { conversationId, kind: generationIdentity.name, status: "completing" } as const;
	return (await harness.tasks(query, 100, undefined, context)).items.map(({ id }) => id);
}

function openStream(
	harness: Harness,
	conversationId: ConversationId,
	initial: ConversationState,
	completing: readonly TaskId[],
	context: Context,
): AgentEventStream {
	const translator = createTranslator(conversationId, initial, completing);
	const first: Frame = { state: initial, events: [] };
	const watch = createWatch<Frame>(first, context, () => {
		stopCommits();
		stopClose();
	});
	const stopCommits = harness.subscribeCommits((publication, from) => {
		const events = translator.translate(publication);
		if (events.length > 0) watch.push({ state: translator.state, events }, [], from);
	});
	const stopClose = harness.subscribeClose(() => watch.end({ reason: "session_closed" }));
	return {
		snapshot: snapshotOf(initial),
		start(listener) {
			watch.handle.start((frame, ops, from) =>
				// A replacement stands for everything that was not delivered.
				listener(ops.length > 0 ? [snapshotOf(frame.state)] : frame.events, from),
			);
		},
		stop: () => watch.handle.stop(),
		closed: watch.handle.closed,
	};
}

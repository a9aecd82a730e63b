import type { AssistantMessage } from "@earendil-works/pi-ai";
import { AgentDoc, InboxDoc, LiveDoc, UsageDoc } from "../harness/built-in-documents.ts";
import type { AgentState } from "../types/agent.ts";
import type { AgentSnapshot } from "../types/agent-events.ts";
import type { EntryRecord } from "../types/entries.ts";
import type { ConversationView } from "../types/harness.ts";
import type { ConversationId } from "../types/ids.ts";
import type { JsonObject } from "../types/json.ts";
import type { LiveState, UsageState } from "../types/live.ts";
import type { CommitPublication } from "../types/session.ts";
import type { InboxState } from "../types/submissions.ts";

/** What is known of one conversation after a commit. Immutable. */
export type ConversationState = {
	readonly entries: readonly EntryRecord[];
	readonly live: LiveState;
	readonly inbox: InboxState;
	readonly agent: AgentState;
	readonly usage: UsageState;
};

/** Which documents a commit changed. */
export type ChangedDocuments = { readonly inbox: boolean; readonly agent: boolean; readonly usage: boolean };

export function stateOf({ entries, docs }: ConversationView): ConversationState {
	return {
		entries,
		live: (docs[LiveDoc.definition.kind] ?? {}) as LiveState,
		inbox: (docs[InboxDoc.definition.kind] ?? { items: [] }) as InboxState,
		agent: (docs[AgentDoc.definition.kind] ?? {}) as AgentState,
		usage: (docs[UsageDoc.definition.kind] ?? { models: {}, tools: {} }) as UsageState,
	};
}

/** The state after a commit; a document that was retired reads as its initial value. */
export function stateAfter(
	state: ConversationState,
	id: ConversationId,
	publication: CommitPublication,
): { readonly state: ConversationState; readonly changed: ChangedDocuments } {
	const values = new Map<string, JsonObject | null>();
	for (const { record, value } of publication.documents)
		if (
			record.scope.kind === "conversation" &&
			record.scope.conversationId === id &&
			record.key === undefined
		)
			values.set(record.kind, value);
	const read = <T>(token: { readonly definition: { readonly kind: string } }, before: T, initial: T): T => {
		const value = values.get(token.definition.kind);
		return value === undefined ? before : ((value ?? initial) as T);
	};
	const own = publication.entries.filter(({ conversationId }) => conversationId === id);
	return {
		state: {
			entries: own.reduce(withEntry, state.entries),
			live: read(LiveDoc, state.live, {}),
			inbox: read(InboxDoc, state.inbox, { items: [] }),
			agent: read(AgentDoc, state.agent, {}),
			usage: read(UsageDoc, state.usage, { models: {}, tools: {} }),
		},
		changed: {
			inbox: values.has(InboxDoc.definition.kind),
			agent: values.has(AgentDoc.definition.kind),
			usage: values.has(UsageDoc.definition.kind),
		},
	};
}

/** A head marker leads; of what was active, the plain entries from its head on stay. */
function withEntry(entries: readonly EntryRecord[], entry: EntryRecord): readonly EntryRecord[] {
	const { head } = entry;
	if (head === undefined) return [...entries, entry];
	return [entry, ...entries.filter((other) => other.head === undefined && other.id >= head)];
}

export function snapshotOf({ entries, live, inbox, agent, usage }: ConversationState): AgentSnapshot {
	const { run, generation, tools, compactions } = live;
	return {
		type: "snapshot",
		entries,
		...(run === undefined ? {} : { run: { inputs: run.inputs } }),
		...(generation === undefined
			? {}
			: {
					generation: {
						attempt: generation.attempt,
						...(generation.message === undefined ? {} : { message: messageOf(live)! }),
						...(generation.retry === undefined ? {} : { retry: generation.retry }),
						...(generation.deferred === undefined ? {} : { deferred: generation.deferred }),
					},
				}),
		tools: tools ?? [],
		compactions: compactions ?? [],
		inbox: queuedIn(inbox),
		agent,
		usage,
	};
}

/** The answer so far. */
export function messageOf({ generation }: LiveState): AssistantMessage | undefined {
	return generation?.message as AssistantMessage | undefined;
}

export function queuedIn({ items }: InboxState): AgentSnapshot["inbox"] {
	return items.map(({ id, mode }) => ({ id, mode }));
}

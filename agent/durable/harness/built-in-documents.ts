import { uuidv7 } from "@earendil-works/pi-ai";
import type { AgentState } from "../types/agent.ts";
import { defineDoc } from "../types/documents.ts";
import type { JsonObject } from "../types/json.ts";
import type { LiveState, ResumeState, UsageState } from "../types/live.ts";
import type { InboxState } from "../types/submissions.ts";

type Doc<T> = T & JsonObject;

/** What was chosen for a conversation. A fork gets it as of its entry. */
export const AgentDoc = defineDoc<Doc<AgentState>>({
	kind: "pi.agent",
	version: 1,
	scope: "conversation",
	history: "rewindable",
	fork: "asOf",
	initial: () => ({}),
	checkpointWhen: () => true,
});

/** A conversation's identity towards providers, for their prompt caches. */
export const ProviderDoc = defineDoc<{ sessionId: string }>({
	kind: "pi.provider",
	version: 1,
	scope: "conversation",
	history: "latest",
	fork: "initial",
	initial: () => ({ sessionId: uuidv7() }),
	checkpointWhen: () => true,
});

/** What is going on. Stored as changes while something runs, as one small value when nothing does. */
export const LiveDoc = defineDoc<Doc<LiveState>>({
	kind: "pi.live",
	version: 1,
	scope: "conversation",
	history: "latest",
	fork: "initial",
	initial: () => ({}) as Doc<LiveState>,
	checkpointWhen: (live) =>
		live.generation === undefined && !live.tools?.some(({ status }) => status === "running"),
});

/** What waits to be placed, oldest first. */
export const InboxDoc = defineDoc<Doc<InboxState>>({
	kind: "pi.inbox",
	version: 1,
	scope: "conversation",
	history: "latest",
	fork: "initial",
	initial: () => ({ items: [] }) as Doc<InboxState>,
	checkpointWhen: (inbox) => inbox.items.length === 0,
});

/** What the conversation itself spent. */
export const UsageDoc = defineDoc<Doc<UsageState>>({
	kind: "pi.usage",
	version: 1,
	scope: "conversation",
	history: "latest",
	fork: "initial",
	initial: () => ({ models: {}, tools: {} }) as Doc<UsageState>,
	checkpointWhen: () => true,
});

/** Exists while a conversation was resumed and has not got on since. */
export const ResumeDoc = defineDoc<Doc<ResumeState>>({
	kind: "pi.resume",
	version: 1,
	scope: "conversation",
	history: "latest",
	fork: "initial",
	initial: () => ({ resumes: 0 }) as Doc<ResumeState>,
	checkpointWhen: () => true,
});

/** Documents that every view of a conversation carries. */
export const VIEWED_DOCUMENTS = [AgentDoc, LiveDoc, InboxDoc, ProviderDoc, UsageDoc, ResumeDoc] as const;

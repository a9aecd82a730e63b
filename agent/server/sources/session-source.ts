import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import {
	type Agent,
	AgentDoc,
	type AttachedReplicatedState,
	type ConversationId,
	type ConversationView,
	type Harness,
	InboxDoc,
	type InboxState,
	type JsonObject,
	LiveDoc,
	type LiveState,
	ResumeDoc,
	type ResumeState,
	UsageDoc,
	type UsageState,
} from "../../durable/index.ts";
import type {
	After,
	LiveView,
	SessionSummary,
	SessionView,
	WireEntry,
	WireError,
} from "../../protocol/index.ts";
import type { Sessions } from "../../sessions/service.ts";
import { type Located, locate } from "../locate.ts";
import { agentView } from "../views/agent-view.ts";
import { inboxView } from "../views/inbox-view.ts";
import { lastResult } from "../views/last-result.ts";
import { createLiveView, type ShownOutputs } from "../views/live-view.ts";
import { createSpentEntries } from "../views/spent-entries.ts";
import { subagentSummary, summaryOf } from "../views/summary.ts";
import { contextTokens, usageView } from "../views/usage-view.ts";
import { type BackgroundProcesses, followBackground } from "./background-processes.ts";
import type { CommitRouter } from "./commit-router.ts";
import { type ConversationFacts, followConversation } from "./conversation-facts.ts";
import type { Signal } from "./signal.ts";
import { createSource } from "./source.ts";
import type { OpenSource } from "./source-table.ts";

export type SessionSourceDeps = {
	readonly harness: Harness;
	readonly sessions: Sessions;
	readonly router: CommitRouter;
	/** How many tokens the context of `provider/model` holds, when that is known. */
	readonly contextWindow: (model: string) => number | undefined;
	/** How many retries the harness makes after a first attempt. */
	readonly maxRetries: () => number;
	/** Raised when a client has ended what a call left running. */
	readonly backgroundEnded: Signal;
	readonly after: After;
	/** Logs a failure of the agent's own, and says what its watchers are told. */
	readonly onFailure: (error: unknown) => WireError;
};

/** The key under which a conversation's view shows running output, by task id. */
const OUTPUTS = "pi.output";

type Docs = ConversationView["docs"];

/**
 * What `session.watch` carries, live, for every client that watches this conversation with this tail. Throws `not_found`
 * for a conversation that clients may not look at.
 */
export async function openSessionSource(
	deps: SessionSourceDeps,
	id: ConversationId,
	tail: number,
): Promise<OpenSource> {
	const { sessions, onFailure } = deps;
	const located = await locate(deps, id);
	// The harness's own window is not used: it forgets what lies before a compaction.
	const state = await located.conversation.viewState(BACKGROUND_CONTEXT, { tail: 1 });
	const cleanUp = [state.dispose];
	try {
		let changed = () => {};
		const docs = () => state.value.docs;
		const live = () => liveIn(docs());
		const facts = await followConversation(located.conversation, tail, live, deps, () => changed());
		cleanUp.push(facts.stop);
		const agent = await followAgent(located, state, onFailure, () => changed());
		const background = followBackground(deps.after, () => changed());
		cleanUp.push(background.stop, deps.backgroundEnded.subscribe(background.look));
		const inherited = state.value.conversation.parent?.at ?? 0;
		const view = createSessionView(located, facts, background, inherited, deps);
		const source = createSource({ compose: () => view(docs(), agent()), onFailure });
		changed = source.changed;
		cleanUp.push(
			state.subscribe(changed),
			sessions.subscribe((snapshot) => {
				if (snapshot.id === located.session.id) changed();
			}),
			source.stop,
		);
		return { source, end: source.end, close: () => runAll(cleanUp) };
	} catch (error) {
		runAll(cleanUp);
		throw error;
	}
}

function runAll(steps: readonly (() => void)[]): void {
	for (const step of steps) step();
}

/** The conversation's agent, its names resolved again whenever what was chosen for it changes. */
async function followAgent(
	{ conversation }: Located,
	state: AttachedReplicatedState<ConversationView>,
	onFailure: (error: unknown) => void,
	onChange: () => void,
): Promise<() => Agent> {
	const chosen = () => state.value.docs[AgentDoc.definition.kind];
	let resolvedFrom = chosen();
	let agent = await conversation.agent(BACKGROUND_CONTEXT);
	return () => {
		if (chosen() !== resolvedFrom) {
			resolvedFrom = chosen();
			conversation.agent(BACKGROUND_CONTEXT).then((next) => {
				agent = next;
				onChange();
			}, onFailure);
		}
		return agent;
	};
}

/**
 * Composes the view from its parts; a part whose sources didn't change is the same object as before.
 *
 * @param inherited of a fork, the last entry of its parent that it sees; else 0
 */
function createSessionView(
	located: Located,
	facts: ConversationFacts,
	background: BackgroundProcesses,
	inherited: number,
	deps: SessionSourceDeps,
): (docs: Docs, agent: Agent) => SessionView {
	const { conversation, session, parent } = located;
	const { id } = conversation;
	const { window, submissions, tasks, subagents } = facts;
	const directory = session.record.directory;
	const liveView = createLiveView();
	const run = lastResult(runOf);
	const inbox = lastResult((state: InboxState | undefined) => inboxView(state?.items ?? []));
	const usage = lastResult(usageView);
	const spentEntries = createSpentEntries((conversation) =>
		subagents.spendOf(Number(conversation) as ConversationId),
	);
	const tokensOf = lastResult(contextTokens);
	const context = lastResult(contextOf);
	/** What calls that a fork inherits left running is its parent's. */
	const own = lastResult((entries: readonly WireEntry[]) =>
		inherited === 0 ? entries : entries.filter(({ id: entry }) => Number(entry) > inherited),
	);
	const agentOf = lastResult((agent: Agent) => agentView(agent, directory));
	const requests = lastResult(({ state }: SessionSummary) =>
		state.kind === "needs_you" ? [state.request] : [],
	);
	const oldest = window.entries[0];
	const createdAt = parent === undefined || oldest === undefined ? session.record.createdAt : oldest.at;

	function summary(live: LiveState, parked: ResumeState["parked"], model: string | null): SessionSummary {
		const newest = deps.sessions.get(session.id) ?? session;
		if (parent === undefined) return summaryOf(newest);
		return subagentSummary({
			id,
			parent,
			session: newest,
			directory,
			model,
			live,
			parked,
			runSince: facts.runStartedAt(),
			createdAt,
			updatedAt: window.entries.at(-1)?.at ?? createdAt,
		});
	}

	return (docs, agent) => {
		const live = liveIn(docs);
		const parked = (docs[ResumeDoc.definition.kind] as ResumeState | undefined)?.parked;
		const spent = docs[UsageDoc.definition.kind] as UsageState | undefined;
		const shownAgent = agentOf(agent);
		const tokens = tokensOf(window.entries);
		const room = shownAgent.model === null ? undefined : deps.contextWindow(shownAgent.model);
		const shown = summary(live, parked, shownAgent.model);
		return {
			session: shown,
			entries: spentEntries(window.entries) as SessionView["entries"],
			hasOlder: window.hasOlder,
			live: liveView.project(live, (docs[OUTPUTS] ?? {}) as ShownOutputs, {
				run: run(live.run, facts.runStartedAt()),
				maxRetries: deps.maxRetries(),
				startedAt: tasks.startedAt,
				conversationOf: subagents.conversationOf,
				spendOf: subagents.spendOf,
			}),
			inbox: inbox(docs[InboxDoc.definition.kind] as InboxState | undefined),
			submissions: submissions.list as SessionView["submissions"],
			usage: usage(spent, subagents.total(), context(tokens, room)),
			requests: requests(shown),
			tasks: tasks.compose() as SessionView["tasks"],
			agent: shownAgent,
			...(parked === undefined ? {} : { parked: { ...parked } }),
			background: background.compose(own(window.entries)) as SessionView["background"],
		};
	};
}

function liveIn(docs: Docs): LiveState {
	return (docs[LiveDoc.definition.kind] ?? {}) as JsonObject as LiveState;
}

function runOf(run: LiveState["run"], startedAt: number | undefined): LiveView["run"] {
	if (run === undefined || startedAt === undefined) return undefined;
	const inputs = run.inputs.map(String);
	return { id: inputs[0] ?? String(run.taskId), inputs, startedAt };
}

function contextOf(
	tokens: number | undefined,
	window: number | undefined,
): { tokens: number; window: number } | undefined {
	return tokens === undefined || window === undefined ? undefined : { tokens, window };
}

import type { StartedAgent } from "../../agent/platform/start-agent.ts";
import {
	type ConnectionState,
	createReconnectingClient,
	type ProtocolError,
	type ReconnectingClient,
} from "../../agent/protocol/index.ts";
import { connectSocket } from "../../agent/protocol/node-socket-transport.ts";
import { createReachPolicy, type ReachTiming } from "./reach-policy.ts";
import { replaceAgent } from "./replace-agent.ts";

/** For a socket to take a connection, and then for the agent's welcome. */
const WELCOME_MS = 5_000;

export type AgentLink = {
	readonly client: ReconnectingClient;
	/** Why there is no agent, once that is known. */
	readonly problem: ProtocolError | undefined;
	/** Resolves when it is known whether there is an agent: with undefined when there is, else with why there is none. */
	settled(): Promise<ProtocolError | undefined>;
	/** Puts the app's own agent in the place of the one that runs: see `replaceAgent`. */
	replace(when: "idle" | "now"): Promise<void>;
	close(): void;
};

export type AgentLinkOptions = {
	readonly socket: string;
	/** Name and version, for the agent's log. */
	readonly client: string;
	/** Starts an agent, with such arguments; rejects with a sentence when it can't. */
	readonly start: (...args: string[]) => Promise<StartedAgent>;
	/** What an agent that ended said. */
	readonly lastWords: (agent: StartedAgent) => string | undefined;
	/** The same, where another agent may write to the log meanwhile. */
	readonly outputWords: (agent: StartedAgent) => string | undefined;
	readonly timing?: ReachTiming;
};

/** The app's own connection to the agent, kept up as long as the app lives; it starts an agent when none runs. */
export function createAgentLink(options: AgentLinkOptions): AgentLink {
	const policy = createReachPolicy(() => options.start(), options.lastWords, options.timing);
	const client = createReconnectingClient({
		client: options.client,
		welcomeTimeoutMs: WELCOME_MS,
		connect: () => connectSocket(options.socket, { timeoutMs: WELCOME_MS }),
		policy: policy.decide,
	});
	/** Kept while the next attempt is made, so that what is shown doesn't flicker. */
	let problem: ProtocolError | undefined;
	client.onState((state) => {
		if (state.kind === "connected") policy.connected();
		const known = outcome(state);
		if (known !== undefined) problem = known.problem;
	});

	/** Undefined while it isn't known. */
	function outcome(state: ConnectionState): { readonly problem: ProtocolError | undefined } | undefined {
		switch (state.kind) {
			case "connected":
				return { problem: undefined };
			case "mismatch":
				return { problem: state.reason };
			case "gone":
				if (state.next.kind === "deciding") return undefined;
				if (policy.problem !== undefined) return { problem: policy.problem };
				return state.reason.code === "no_answer" ? { problem: state.reason } : undefined;
			case "connecting":
			case "closed":
				return undefined;
		}
	}

	return {
		client,
		get problem() {
			return problem;
		},
		settled() {
			const known = outcome(client.state);
			if (known !== undefined) return Promise.resolve(known.problem);
			return new Promise((resolve) => {
				const stop = client.onState((state) => {
					const found = outcome(state);
					if (found === undefined && state.kind !== "closed") return;
					stop();
					resolve(found?.problem);
				});
			});
		},
		replace: (when) => replaceAgent({ client, start: options.start, lastWords: options.outputWords }, when),
		close: client.close,
	};
}

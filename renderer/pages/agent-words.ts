import type { ConnectionState } from "../../agent/protocol/index.ts";

/** What is said about an agent that can't be reached. */
export type AgentWords = { readonly title: string; readonly text: string };

type Away = Extract<ConnectionState, { kind: "gone" | "mismatch" }>;

/** @param isApp whether the app, which starts agents, shows the page */
export function agentWords(state: Away, isApp: boolean): AgentWords {
	if (state.kind === "mismatch") return mismatchWords(state);
	switch (state.reason.code) {
		case "not_running":
			return {
				title: "The agent isn’t running",
				text: isApp
					? "It is being started. Your sessions are safe on disk."
					: "Trying again… Your sessions are safe on disk.",
			};
		case "cannot_connect":
			return {
				title: "The web view’s server doesn’t answer",
				text: "It ends with its terminal; start it again with: outlive web. Your sessions go on without it.",
			};
		case "no_permission":
		case "socket_path_too_long":
			return { title: "The agent can’t be reached", text: state.reason.message };
		default:
			return {
				title: "The agent doesn’t answer",
				text: "Trying again… Your sessions are safe on disk.",
			};
	}
}

type Mismatch = Extract<Away, { kind: "mismatch" }>;

/** Of two that share no version of the protocol, whether the agent is the older one. */
export function isAgentOlder({ ours, theirs }: Pick<Mismatch, "ours" | "theirs">): boolean {
	const newest = (versions: readonly number[]) => Math.max(0, ...versions);
	return newest(theirs) < newest(ours);
}

function mismatchWords({ ours, theirs, agent }: Mismatch): AgentWords {
	const which = agent === undefined ? "The agent that runs" : `The agent that runs (${agent})`;
	const isOlder = isAgentOlder({ ours, theirs });
	return {
		title: isOlder ? "The agent is older than this window" : "This window is older than the agent",
		text:
			`${which} speaks version ${theirs.join(", ") || "unknown"} of the protocol, this window version ${ours.join(", ")}. ` +
			(isOlder
				? "Restart the agent with the newer version; running commands go on."
				: "Update the app, or reload this page."),
	};
}

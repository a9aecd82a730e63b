import type { StartedAgent } from "../../agent/platform/start-agent.ts";
import type { ReconnectingClient, Welcome } from "../../agent/protocol/index.ts";

/** How often the process that is to take over is looked at, in ms. */
const LOOK_MS = 250;

export type ReplaceParts = {
	/** The app's own connection. */
	readonly client: Pick<ReconnectingClient, "state" | "onState">;
	/** Starts the app's own agent with an argument; rejects with a sentence when it can't. */
	readonly start: (argument: string) => Promise<StartedAgent>;
	/** What an agent that ended said. */
	readonly lastWords: (agent: StartedAgent) => string | undefined;
};

/**
 * Puts the app's own agent in the place of the one that runs, by handover: now, or once no session is running. Its
 * process asks the other one, and waits as long as that takes.
 *
 * Resolves when another agent has welcomed the app; rejects with a sentence when nothing was replaced.
 */
export async function replaceAgent(
	{ client, start, lastWords }: ReplaceParts,
	when: "idle" | "now",
): Promise<void> {
	const before = welcomeOf(client);
	const successor = await start(`--replace=${when}`);
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	const look = () => {
		const now = welcomeOf(client);
		if (now !== undefined && !isSame(now, before)) resolve();
		const ended = successor.ended();
		// One that ends with 0 has met another one that took over.
		if (ended?.code === 0) resolve();
		else if (ended !== undefined)
			reject(new Error(lastWords(successor) ?? "The new agent ended; its log says why."));
	};
	const forget = client.onState(look);
	const timer = setInterval(look, LOOK_MS);
	try {
		await promise;
	} finally {
		clearInterval(timer);
		forget();
	}
}

function welcomeOf({ state }: ReplaceParts["client"]): Welcome | undefined {
	return state.kind === "connected" ? state.welcome : undefined;
}

function isSame(one: Welcome, other: Welcome | undefined): boolean {
	return one.pid === other?.pid && one.startedAt === other.startedAt;
}

import type { StartedAgent } from "../../agent/platform/start-agent.ts";
import { type ProtocolError, protocolError, type RetryPolicy } from "../../agent/protocol/index.ts";

/** How long to wait for what, in ms. */
export type ReachTiming = {
	/** Between two looks at a socket where an agent should soon be. */
	readonly look: number;
	/** For an agent that was started to be there. */
	readonly start: number;
	/** Before the next start after an agent has gone or didn't start; it doubles each time, up to the last. */
	readonly firstPause: number;
	readonly lastPause: number;
	/** Between two looks when something is wrong that no start can mend. */
	readonly slow: number;
};

export const REACH_TIMING: ReachTiming = {
	look: 150,
	start: 20_000,
	firstPause: 1_000,
	lastPause: 60_000,
	slow: 10_000,
};

export type ReachPolicy = {
	readonly decide: RetryPolicy;
	/** Tells it that there is a connection. */
	connected(): void;
	/** Why the last start led to nothing, or undefined while nothing is known to be wrong. */
	readonly problem: ProtocolError | undefined;
};

/**
 * What the app does when the agent can't be reached: it never gives up. One is started when the socket is refused or
 * missing, which alone proves that none is there, and then looked for until its time is up. The first is started at
 * once; after a connection that was lost, or a start that failed, a pause comes first.
 *
 * @param start starts an agent; rejects with a sentence when it can't
 * @param lastWords what an agent that ended said
 */
export function createReachPolicy(
	start: () => Promise<StartedAgent>,
	lastWords: (agent: StartedAgent) => string | undefined,
	timing: ReachTiming = REACH_TIMING,
	now: () => number = () => performance.now(),
): ReachPolicy {
	let started: { readonly agent: StartedAgent; readonly at: number } | undefined;
	let pauses = 0;
	/** When the next start is due; undefined: at once. */
	let startAt: number | undefined;
	let problem: ProtocolError | undefined;

	async function absent(): Promise<number> {
		if (started !== undefined) {
			const ended = started.agent.ended();
			const isLate = now() - started.at >= timing.start;
			// One that ends with 0 has met another one, which is about to answer.
			if (!isLate && (ended === undefined || ended.code === 0)) return timing.look;
			return failed(notStarted(lastWords(started.agent)));
		}
		if (startAt !== undefined && now() < startAt) return startAt - now();
		try {
			started = { agent: await start(), at: now() };
			return timing.look;
		} catch (error) {
			return failed(protocolError("not_running", (error as Error).message, { cause: error }));
		}
	}

	function failed(why: ProtocolError): number {
		problem = why;
		return pause();
	}

	/** The time until the next start. */
	function pause(): number {
		started = undefined;
		const length = Math.min(timing.firstPause * 2 ** pauses, timing.lastPause);
		pauses++;
		startAt = now() + length;
		return length;
	}

	return {
		async decide(failure, failuresInARow) {
			// The connection before this failure held for a while, so what came before is over.
			if (failuresInARow === 1) pauses = 0;
			switch (failure.code) {
				case "not_running":
					return absent();
				case "connection_lost":
				case "shutting_down":
					pause();
					return timing.look;
				case "no_answer":
					return timing.firstPause;
				default:
					problem = failure;
					return timing.slow;
			}
		},
		connected() {
			started = undefined;
			problem = undefined;
		},
		get problem() {
			return problem;
		},
	};
}

function notStarted(said: string | undefined): ProtocolError {
	const why = said === undefined ? "its log says nothing about it" : `it says: ${said}`;
	return protocolError("not_running", `The agent could not be started; ${why}`);
}

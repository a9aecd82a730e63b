import type { StartedAgent } from "../../platform/start-agent.ts";
import { type ProtocolError, protocolError, type RetryPolicy } from "../../protocol/index.ts";
import { CliError } from "../cli-error.ts";
import type { Place } from "../place.ts";
import { lastWords } from "./log-words.ts";
import { spawnAgent } from "./spawn-agent.ts";
import type { Timing } from "./timing.ts";

/** An agent that ends this often without a stable connection in between won't be started once more. */
const MOST_STARTS = 3;

export type ReachPolicy = {
	readonly decide: RetryPolicy;
	/** Tells it that there is a connection. */
	connected(): void;
	/** Whether it has started an agent. */
	readonly hasStarted: boolean;
};

/**
 * What to do when the agent can't be reached. One is started when the socket is refused or missing, which alone proves
 * that none is there, and then looked for until its time is up. An agent that is there and doesn't answer is left alone;
 * one that answered before is given a while longer.
 *
 * @param mayStart whether to start an agent at all; without it nothing is waited for either
 */
export function createReachPolicy(place: Place, timing: Timing, mayStart: boolean): ReachPolicy {
	let started: StartedAgent | undefined;
	let starts = 0;
	let hasStarted = false;
	let wasConnected = false;
	/** When the present time without a connection began; undefined while there is one. */
	let goneSince: number | undefined;

	function decide(failure: ProtocolError, failuresInARow: number): number | undefined {
		const now = performance.now();
		goneSince ??= now;
		const gone = now - goneSince;
		// The count begins anew once a connection was stable.
		if (failuresInARow === 1) starts = 0;
		switch (failure.code) {
			case "not_running":
				return mayStart ? absent(gone) : undefined;
			case "no_answer":
				if (gone < patience()) return timing.look;
				throw noAnswer(failure);
			case "connection_lost":
			case "shutting_down":
				return mayStart && gone < timing.start ? timing.look : undefined;
			default:
				return undefined;
		}
	}

	/** How long an agent may be there without an answer. */
	function patience(): number {
		if (started !== undefined) return timing.start;
		return wasConnected ? timing.silence : 0;
	}

	function absent(gone: number): number {
		const ended = started?.ended();
		// One that ends with 0 has met another one, which is about to answer.
		if (started !== undefined && ended !== undefined && ended.code !== 0) throw notStarted(place, started);
		if (started !== undefined && gone >= timing.start) throw notStarted(place, started);
		if (started === undefined) {
			if (starts === MOST_STARTS) throw endsAgain(place);
			starts++;
			started = spawnAgent(place);
			hasStarted = true;
		}
		return timing.look;
	}

	return {
		// A CliError is passed on as it is, inside the error of the wire that the client speaks in.
		decide: (failure, failuresInARow) => {
			try {
				return decide(failure, failuresInARow);
			} catch (error) {
				if (error instanceof CliError) throw protocolError("cannot_connect", error.message, { cause: error });
				throw error;
			}
		},
		connected() {
			wasConnected = true;
			started = undefined;
			goneSince = undefined;
		},
		get hasStarted() {
			return hasStarted;
		},
	};
}

function noAnswer(failure: ProtocolError): ProtocolError {
	return protocolError(
		"no_answer",
		"The agent does not answer; it may be busy or frozen, and nothing was started or ended. " +
			"Look at it with: outlive doctor",
		{ cause: failure },
	);
}

function notStarted(place: Place, agent: StartedAgent): CliError {
	const { data } = place;
	const said = lastWords(data, agent.before);
	const what =
		agent.ended() === undefined
			? "The agent was started and does not answer."
			: "The agent could not be started.";
	const why = said === undefined ? "It said nothing" : `It says: ${said}`;
	return new CliError("agent_not_started", 3, `${what} ${why} (more may be in ${data.log} and ${data.out}).`);
}

function endsAgain({ data }: Place): CliError {
	return new CliError(
		"agent_not_started",
		3,
		`The agent ended ${MOST_STARTS} times soon after its start; see why in ${data.log}`,
	);
}

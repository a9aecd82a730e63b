/** How long to wait for what, in ms. */
export type Timing = {
	/** For a socket to take a connection, and then for the agent's welcome. */
	readonly welcome: number;
	/** For the response to a request that is answered at once. */
	readonly response: number;
	/** For an agent that was just started, or has just gone, to be there. */
	readonly start: number;
	/** Between two looks at a socket where an agent should soon be. */
	readonly look: number;
	/** For an agent that was there before and now doesn't answer. */
	readonly silence: number;
};

const TIMING: Timing = { welcome: 5_000, response: 15_000, start: 20_000, look: 150, silence: 30_000 };

/** `OUTLIVE_ANSWER_MS`, which tests set, is the time an agent has for its welcome and for its responses. */
export function timingOf(env: NodeJS.ProcessEnv): Timing {
	const given = Number(env.OUTLIVE_ANSWER_MS);
	if (!Number.isInteger(given) || given <= 0) return TIMING;
	return { ...TIMING, welcome: given, response: given, silence: given };
}

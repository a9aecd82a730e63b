/** What one subagent may use at most, as the person's settings say. */
export type SubagentLimits = {
	/** Levels of subagents below a session; 0 allows none. */
	readonly depth: number;
	/** What one of them may spend with all below it, in US dollars. */
	readonly cost: number;
	/** How long one of them may work, in ms. */
	readonly timeMs: number;
};

/** What a subagent has for itself and all below it. */
export type Budget = {
	/** Levels of subagents it may have below itself. */
	readonly depth: number;
	/** In US dollars. */
	readonly cost: number;
	/** When its time is up, in ms since the epoch, and how much it was given, in ms. */
	readonly until: number;
	readonly timeMs: number;
};

/** What the one who asks has itself: nothing is known of a session, which has no budget. */
export type Left = { readonly budget: Budget; readonly spent: number };

/** Which part of a budget is used up. */
export type Exhausted = "depth" | "cost" | "time";

/**
 * The budget of a new subagent: what the settings allow one, and never more than its parent has left.
 *
 * @param parent undefined for a session, which has no budget itself
 * @returns what is used up when there is nothing left to give
 */
export function narrow(limits: SubagentLimits, parent: Left | undefined, now: number): Budget | Exhausted {
	const depth = Math.min(limits.depth, parent?.budget.depth ?? limits.depth) - 1;
	if (depth < 0) return "depth";
	const cost = Math.min(limits.cost, parent === undefined ? limits.cost : parent.budget.cost - parent.spent);
	if (cost <= 0) return "cost";
	const until = Math.min(now + limits.timeMs, parent?.budget.until ?? Number.POSITIVE_INFINITY);
	if (until <= now) return "time";
	return { depth, cost, until, timeMs: until - now };
}

/** A budget after the agent was away: time in which nothing could run isn't counted. */
export function withoutAbsence(budget: Budget, awayMs: number): Budget {
	return awayMs <= 0 ? budget : { ...budget, until: budget.until + awayMs };
}

/** Why no subagent can be started, for the model. */
export function exhaustedWords(what: Exhausted): string {
	switch (what) {
		case "depth":
			return "No further level of subagents is allowed here. Do the task yourself.";
		case "cost":
			return "What may be spent here is used up, so no subagent can be started. Answer with what you have.";
		case "time":
			return "The time for this work is used up, so no subagent can be started. Answer with what you have.";
	}
}

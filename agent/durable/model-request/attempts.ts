import type { AccountLimit } from "../types/limits.ts";

/** How often a request was tried: attempts spend the retry policy, resumptions follow waits that weren't its fault. */
export type Attempts = {
	readonly attempt: number;
	readonly resumptions?: number;
	/** The waits for the network since an answer last came: how many, and how long all together, in ms. */
	readonly offline?: { readonly waits: number; readonly waitedMs: number };
	/** The newest limit that it has waited for, or that a person lets it try in spite of. */
	readonly waitedFor?: AccountLimit;
};

/** A wait before the next try, as a checkpoint stores it. */
export type StoredWait = {
	readonly until: number;
	/** What the wait was meant to be, in ms; no clock makes it longer. */
	readonly lengthMs: number;
	/** The limit that it waits for. */
	readonly limit?: AccountLimit;
};

/** Only the attempts of a checkpoint. */
export function attemptsOf({ attempt, resumptions, offline, waitedFor }: Attempts): Attempts {
	return {
		attempt,
		...(resumptions === undefined ? {} : { resumptions }),
		...(offline === undefined ? {} : { offline }),
		...(waitedFor === undefined ? {} : { waitedFor }),
	};
}

/** The attempts once a wait is over, which may have been cut short. */
export function afterWait(waited: Attempts & StoredWait, now: number): Attempts {
	const { until, lengthMs, limit, offline } = waited;
	const lasted = Math.min(lengthMs, Math.max(0, now - (until - lengthMs)));
	return {
		...attemptsOf(waited),
		...(limit === undefined ? {} : { waitedFor: limit }),
		...(offline === undefined ? {} : { offline: { ...offline, waitedMs: offline.waitedMs + lasted } }),
	};
}

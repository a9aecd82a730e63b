/** Until when an account refuses every request, as its provider said; in ms since the epoch. */
export type AccountLimit = { readonly provider: string; readonly until: number; readonly error: string };

/** A limit that conversations wait for now. */
export type KnownLimit = {
	readonly limit: AccountLimit;
	/** No wait for it is longer than this, in ms, whatever the clock says. */
	readonly longestMs: number;
	/** How many wait for it. */
	readonly waiting: number;
};

/** What is known of the limits of accounts. An account is a provider: there is one login or key for each. */
export interface Limits {
	/** The newest limit of a provider's account. */
	of(provider: string): KnownLimit | undefined;
}

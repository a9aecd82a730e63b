/** Tokens and money. */
export type Spend = {
	input: number;
	output: number;
	cacheRead: number;
	cacheWrite: number;
	totalTokens: number;
	/** In US dollars. */
	cost: number;
	/** True when `cost` is what it would be at list prices, as on a plan; false when the provider billed it. */
	estimated: boolean;
};

export type UsageView = {
	/** What this conversation itself spent. */
	total: Spend;
	/** By `provider/model`. */
	models: Record<string, Spend>;
	/** What its subagents spent; not part of `total`. */
	subagents?: Spend;
	/** How full the model's context is, in tokens. */
	context?: { tokens: number; window: number };
};

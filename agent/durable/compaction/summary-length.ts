import type { Api, Model } from "@earendil-works/pi-ai";

/** The share of the answer's room that a summary may take. */
const SUMMARY_SHARE = 0.8;

/** How long a summary of this model may be, in tokens. */
export function lengthOfSummary(reserveTokens: number, model: Model<Api>): number {
	const share = Math.floor(SUMMARY_SHARE * reserveTokens);
	return model.maxTokens > 0 ? Math.min(share, model.maxTokens) : share;
}

import { isNetworkFailure } from "./network-failure.ts";

/**
 * Why a request failed that is tried again: it was cut off, led nowhere, got no answer for too long, was one too many,
 * met a model that is overloaded, or a server with an error of its own. `other` is all that its text doesn't tell.
 */
export type FailureCause =
	| "dropped"
	| "unreachable"
	| "silent"
	| "rate_limit"
	| "overloaded"
	| "server_error"
	| "other";

/** The first that fits decides. */
const TEXTS: readonly (readonly [FailureCause, RegExp])[] = [
	["rate_limit", /\b429\b|rate.?limit|too many requests/i],
	["overloaded", /\b529\b|overloaded/i],
	[
		"server_error",
		/(?<![\w.:-])5\d\d(?![\w.-])|"code":\s*5\d\d|server (?:had an )?error|internal error|api_error/i,
	],
	[
		"unreachable",
		/getaddrinfo|ENOTFOUND|EAI_\w+|ECONNREFUSED|ConnectionRefused|E(?:NET|HOST)(?:UNREACH|DOWN)|FailedToOpenSocket|unable to connect|connect (?:ETIMEDOUT|timeout)/i,
	],
	["silent", /nothing came from|timed? ?out|timeout/i],
	["dropped", /stream (?:was interrupted|ended)|StreamTruncated|connection lost/i],
];

/** What a failure's text tells of its cause. */
export function failureCause(errorMessage: string): FailureCause {
	const known = TEXTS.find(([, text]) => text.test(errorMessage))?.[0];
	return known ?? (isNetworkFailure(errorMessage, "") ? "dropped" : "other");
}

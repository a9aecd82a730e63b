/** Why a model request failed that is tried again. An agent of an earlier version doesn't tell it. */
export type RetryCause =
	| "dropped"
	| "unreachable"
	| "silent"
	| "rate_limit"
	| "overloaded"
	| "server_error"
	| "other";

/** What a person is told of it: as a sentence, and as a fragment for lists. */
const WORDS: Readonly<Record<RetryCause, { readonly sentence: string; readonly fragment: string }>> = {
	dropped: { sentence: "The model’s connection dropped.", fragment: "connection dropped" },
	unreachable: { sentence: "The model couldn’t be reached.", fragment: "model not reached" },
	silent: { sentence: "The model didn’t answer in time.", fragment: "no answer in time" },
	rate_limit: { sentence: "The model gets too many requests.", fragment: "too many requests" },
	overloaded: { sentence: "The model is overloaded.", fragment: "model overloaded" },
	server_error: { sentence: "The model’s server had an error.", fragment: "server error" },
	other: { sentence: "The model’s answer failed.", fragment: "answer failed" },
};

/** The words for a cause; those of `other` for one that isn't told, or that only a newer agent knows. */
export function retryWords(cause: RetryCause | undefined): {
	readonly sentence: string;
	readonly fragment: string;
} {
	return (cause === undefined ? undefined : WORDS[cause]) ?? WORDS.other;
}

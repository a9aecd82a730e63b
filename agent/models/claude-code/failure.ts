import { type AssistantMessage, isContextOverflow, isRetryableAssistantError } from "@earendil-works/pi-ai";

/** How a request failed, as the CLI tells it. */
export type CliFailure = {
	/** The CLI's own words. */
	readonly text: string;
	/** The HTTP status, when an answer of the API was the end of it. */
	readonly status?: number | null | undefined;
	/** Why the CLI ended the turn, such as `prompt_too_long`. */
	readonly reason?: string | undefined;
	/** When the plan's limit is over, in ms since the epoch; only set when it was hit. */
	readonly limitedUntil?: number | undefined;
};

/** What a failure means for the run, and so which words pi-ai must find in its text. */
type Meaning = "overflow" | "limit" | "passing" | "final";

const OVERFLOW_REASONS = ["prompt_too_long", "blocking_limit"];
const LOGGED_OUT = /not logged in|run \/login|invalid api key|failed to authenticate|oauth/i;
const CREDIT = /credit balance/i;

/**
 * The text of a failure, such that pi-ai classifies it as the design says: an overflow is compacted, a passing one is
 * tried again, a plan's limit is waited for, and all else is final and says what to do.
 *
 * @param now wall clock, in ms since the epoch
 */
export function failureText(failure: CliFailure, now: number): string {
	const { text, status } = failure;
	switch (meaningOf(failure)) {
		case "overflow":
			if (readsAs("overflow", text)) return text;
			return status === 413 ? `413: ${text}` : `Prompt is too long: ${text}`;
		case "limit": {
			const seconds = Math.max(1, Math.ceil((failure.limitedUntil! - now) / 1_000));
			// pi-ai's words for a wait that the provider asks for.
			return `Server requested ${seconds}s retry delay (max: 60s). ${text}`;
		}
		case "passing":
			if (readsAs("passing", text)) return text;
			if (status === undefined || status === null) return `The stream was interrupted: ${text}`;
			return `Server error ${status}: ${text}`;
		case "final": {
			const advice = adviceFor(failure);
			return advice === undefined ? text : `${sentence(text)} ${advice}`;
		}
	}
}

function meaningOf({ text, status, reason, limitedUntil }: CliFailure): Meaning {
	if (limitedUntil !== undefined) return "limit";
	if (status === 413 || OVERFLOW_REASONS.includes(reason ?? "")) return "overflow";
	if (status === undefined || status === null) {
		const final = LOGGED_OUT.test(text) || CREDIT.test(text) || reason !== "api_error";
		return final ? "final" : "passing";
	}
	// A plan's limit without a time to wait for: another attempt would meet it again.
	if (status === 429 && /you've hit your|limit reached/i.test(text)) return "final";
	return status === 408 || status === 409 || status === 429 || status >= 500 ? "passing" : "final";
}

function readsAs(meaning: "overflow" | "passing", errorMessage: string): boolean {
	const message = { stopReason: "error", errorMessage } as AssistantMessage;
	return meaning === "overflow" ? isContextOverflow(message) : isRetryableAssistantError(message);
}

function adviceFor({ text, status }: CliFailure): string | undefined {
	if (CREDIT.test(text))
		return "Add credit to the account, or choose another model, and send the message again.";
	if (status === 401 || status === 403 || LOGGED_OUT.test(text))
		return "Run claude and then /login, or choose another model, and send the message again.";
	if (status === 404) return "Choose another model and send the message again.";
	if (status === 429)
		return "Wait until the limit is over, or choose another model, and send the message again.";
	return undefined;
}

function sentence(text: string): string {
	return /[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
}

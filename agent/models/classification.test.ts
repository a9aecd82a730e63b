import assert from "node:assert/strict";
import { test } from "node:test";
import { type AssistantMessage, isContextOverflow, isRetryableAssistantError } from "@earendil-works/pi-ai";

/** What the harness does about a failure: compact, try again, or end the run. */
type Meaning = "overflow" | "retry" | "final";

/** pi-ai's classification of what our providers say, written down: a new version of it that thinks otherwise shows. */
const TABLE: Readonly<Record<string, readonly (readonly [Meaning, string])[]>> = {
	"Claude Code": [
		["retry", 'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}'],
		["retry", "API Error: 500 Internal server error"],
		["retry", "API Error: 529 Overloaded"],
		["retry", "API Error: Overloaded"],
		["retry", "The stream was interrupted: API Error: StreamTruncated"],
		["retry", "The stream was interrupted: Claude Code began the answer anew."],
		["retry", "The stream was interrupted: nothing came from Claude Code for 300 s (timeout)."],
		["retry", "Claude Code ended in the middle (SIGKILL): connection lost."],
		["retry", "API Error: Unable to connect to API (ECONNRESET)"],
		["retry", "API Error: Connection error."],
		["retry", "Server requested 7200s retry delay (max: 60s). You've hit your 5-hour limit · resets 3pm"],
		["final", "You've hit your 5-hour limit · resets 3pm"],
		["final", "Not logged in · Please run /login. Run claude and then /login, or choose another model."],
		["final", "Invalid API key · Fix external API key"],
		["final", "Credit balance is too low. Add credit to the account, or choose another model."],
		["final", "The model refused to answer. Change the message, or choose another model."],
		["overflow", "Prompt is too long"],
		["overflow", "413: Request too large (max 32MB). Double press esc to go back and try again."],
	],
	"Anthropic Messages": [
		[
			"retry",
			'429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit"}}',
		],
		["retry", '500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}'],
		["retry", '529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
		["retry", '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
		["retry", "Anthropic stream ended before message_stop"],
		["final", '401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}'],
		["final", '403 {"type":"error","error":{"type":"permission_error","message":"not allowed"}}'],
		["final", '404 {"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}'],
		[
			"final",
			'400 {"type":"error","error":{"type":"invalid_request_error","message":"messages: at least one message is required"}}',
		],
		[
			"overflow",
			'400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}',
		],
		[
			"overflow",
			'413 {"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
		],
	],
	"OpenAI Responses and Completions": [
		["retry", "429 Rate limit reached for gpt-5 in organization org-1 on tokens per min (TPM): Limit 30000"],
		["retry", "500 The server had an error while processing your request. Sorry about that!"],
		["retry", "503 The engine is currently overloaded, please try again later"],
		["retry", "An error occurred while processing your request. You can retry your request"],
		["retry", "Connection error.: getaddrinfo ENOTFOUND api.openai.com"],
		["retry", "Request timed out."],
		["final", "429 You exceeded your current quota, please check your plan and billing details."],
		["final", "401 Incorrect API key provided: [key]."],
		["final", "400 Unsupported parameter: 'temperature' is not supported with this model."],
		[
			"overflow",
			"400 Your input exceeds the context window of this model. Please adjust your input and try again.",
		],
		[
			"overflow",
			"400 This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
		],
	],
	Google: [
		[
			"retry",
			'{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}',
		],
		["retry", '{"error":{"code":500,"message":"An internal error has occurred.","status":"INTERNAL"}}'],
		["retry", "fetch failed: connect ECONNREFUSED 142.250.1.1:443"],
		[
			"final",
			'{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}',
		],
		["overflow", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048575)."],
	],
	"Local servers": [
		["retry", "Connection error.: connect ECONNREFUSED 127.0.0.1:11434"],
		["retry", "503 Loading model"],
		["final", '404 model "llama" not found, try pulling it first'],
		["overflow", "400 the request exceeds the available context size, try increasing it"],
	],
};

for (const [provider, cases] of Object.entries(TABLE))
	test(`${provider}: pi-ai takes each text for what we rely on`, () => {
		for (const [meaning, errorMessage] of cases) assert.equal(meaningOf(errorMessage), meaning, errorMessage);
	});

function meaningOf(errorMessage: string): Meaning {
	const message = { stopReason: "error", errorMessage } as AssistantMessage;
	if (isContextOverflow(message)) return "overflow";
	return isRetryableAssistantError(message) ? "retry" : "final";
}

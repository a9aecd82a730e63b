import assert from "node:assert/strict";
import { test } from "node:test";
import { type FailureCause, failureCause } from "./failure-cause.ts";

const TABLE: Readonly<Record<FailureCause, readonly string[]>> = {
	dropped: [
		"The stream was interrupted: API Error: StreamTruncated",
		"The stream was interrupted: Claude Code began the answer anew.",
		"Claude Code ended in the middle (SIGKILL): connection lost.",
		"Connection lost: the scripted model dropped it on purpose (1 of 2).",
		"Anthropic stream ended before message_stop",
		"Connection error.: read ECONNRESET",
		"API Error: Connection error.",
		"terminated: other side closed",
		"socket hang up",
	],
	unreachable: [
		"Connection error.: getaddrinfo ENOTFOUND api.openai.com",
		"fetch failed: connect ECONNREFUSED 142.250.1.1:443",
		"Connection error.: connect ECONNREFUSED 127.0.0.1:11434",
		"Connection error.: connect ENETUNREACH 2606:4700::1:443 - Local (:::0)",
		"API Error: Unable to connect to API (FailedToOpenSocket)",
		"Connect Timeout Error (attempted address: api.openai.com:443): connect ETIMEDOUT",
	],
	silent: [
		"Request timed out.",
		"The stream was interrupted: nothing came from the model for 300 s (timeout).",
		"The stream was interrupted: nothing came from Claude Code for 300 s (timeout).",
	],
	rate_limit: [
		'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}',
		"429 Rate limit reached for gpt-5 in organization org-1 on tokens per min (TPM): Limit 30000",
	],
	overloaded: [
		"API Error: 529 Overloaded",
		"API Error: Overloaded",
		'529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
		"503 The engine is currently overloaded, please try again later",
		'{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}',
	],
	server_error: [
		"API Error: 500 Internal server error",
		'500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}',
		"500 The server had an error while processing your request. Sorry about that!",
		"Server error 502: Bad gateway",
		"503 upstream connect error: connection refused",
		"503 Loading model",
		'{"error":{"code":500,"message":"An internal error has occurred.","status":"INTERNAL"}}',
	],
	other: [
		"An error occurred while processing your request. You can retry your request",
		"The model failed without saying why.",
		"",
	],
};

for (const [cause, texts] of Object.entries(TABLE))
	test(`a failure's text tells its cause: ${cause}`, () => {
		for (const text of texts) assert.equal(failureCause(text), cause, text);
	});

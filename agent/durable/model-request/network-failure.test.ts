import assert from "node:assert/strict";
import { test } from "node:test";
import { isNetworkFailure } from "./network-failure.ts";

const FAR = "https://api.example.com/v1";

test("a failure without an answer is told from one that somebody sent", () => {
	for (const text of [
		"Connection error.: getaddrinfo ENOTFOUND api.anthropic.com",
		"Connection error.: getaddrinfo EAI_AGAIN api.openai.com",
		"fetch failed: connect ECONNREFUSED 10.1.2.3:443",
		"Connection error.: connect ENETUNREACH 2606:4700::1:443 - Local (:::0)",
		"fetch failed: connect EHOSTUNREACH 10.1.2.3:443",
		"Connection error.: read ECONNRESET",
		"terminated: other side closed",
		"socket hang up",
		"Connect Timeout Error (attempted address: api.openai.com:443): connect ETIMEDOUT",
		"API Error: Unable to connect to API (ConnectionRefused)",
		"API Error: Unable to connect to API (FailedToOpenSocket)",
		"Claude Code ended in the middle (SIGKILL): connection lost.",
		"The stream was interrupted: nothing came from the model for 60 s (timeout).",
	])
		assert.equal(isNetworkFailure(text, FAR), true, text);
	for (const text of [
		"503 upstream connect error or disconnect/reset before headers. reset reason: connection refused",
		"500 Internal Server Error: connection error",
		"529 overloaded",
		"Server error 502: fetch failed",
		"401 invalid x-api-key",
		"You've hit your 5-hour limit · resets 3pm",
		"prompt is too long",
	])
		assert.equal(isNetworkFailure(text, FAR), false, text);
});

test("the network leads to no server on this machine; where a program asks, only it knows", () => {
	const refused = "Connection error.: connect ECONNREFUSED";
	for (const url of ["http://localhost:11434", "http://127.0.0.1:1234/v1", "http://[::1]:8080"])
		assert.equal(isNetworkFailure(refused, url), false, url);
	assert.equal(isNetworkFailure(refused, ""), true);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	type AssistantMessage,
	isContextOverflow,
	isRetryableAssistantError,
	normalizeContext,
} from "@earendil-works/pi-ai";
import { isNetworkFailure } from "../../durable/model-request/network-failure.ts";
import { createManualClock } from "../../durable/testing/manual-clock.ts";
import { type CliFailure, failureText } from "./failure.ts";
import { createClaudeCodeProvider } from "./provider.ts";
import type { ScriptedAnswer } from "./testing/messages-api.ts";
import { createWorld, textOf, user, withoutClaude } from "./testing/world.ts";

type Meaning = "retryable" | "overflow" | "final";

/** What pi-ai takes a failure's text for. */
function meaningOf(errorMessage: string): Meaning {
	const message = { stopReason: "error", errorMessage } as AssistantMessage;
	if (isContextOverflow(message)) return "overflow";
	return isRetryableAssistantError(message) ? "retryable" : "final";
}

const error = (type: string, message: string) => ({ type, message });

const TABLE: readonly { what: string; answer: ScriptedAnswer; is: Meaning; says: RegExp }[] = [
	{
		what: "429",
		answer: { status: 429, error: error("rate_limit_error", "slow down") },
		is: "retryable",
		says: /429/,
	},
	{
		what: "500",
		answer: { status: 500, error: error("api_error", "Internal server error") },
		is: "retryable",
		says: /500/,
	},
	{
		what: "503 with words of its own",
		answer: { status: 503, error: error("api_error", "no") },
		is: "retryable",
		says: /503/,
	},
	{
		what: "529",
		answer: { status: 529, error: error("overloaded_error", "Overloaded") },
		is: "retryable",
		says: /529/,
	},
	{
		what: "a timeout of the API",
		answer: { status: 408, error: error("timeout_error", "Request timed out") },
		is: "retryable",
		says: /408|timed out/,
	},
	{
		what: "overloaded in the middle",
		answer: { text: "some words to be cut off", fault: "overloaded" },
		is: "retryable",
		says: /Overloaded/,
	},
	{
		what: "a connection reset before an answer",
		answer: { drop: true },
		is: "retryable",
		says: /ECONNRESET|dropped|lost/,
	},
	{
		what: "a connection reset in the middle",
		answer: { text: "some words to be cut off", fault: "cut" },
		is: "retryable",
		says: /interrupted|ECONNRESET/,
	},
	{
		what: "a truncated stream",
		answer: { text: "some words to be cut off", fault: "end" },
		is: "retryable",
		says: /interrupted.*StreamTruncated/,
	},
	{
		what: "a stream that begins anew",
		answer: { text: "some words to be cut off", fault: "again" },
		is: "retryable",
		says: /interrupted/,
	},
	{
		what: "a prompt that is too long",
		answer: {
			status: 400,
			error: error("invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
		},
		is: "overflow",
		says: /Prompt is too long/,
	},
	{
		what: "413",
		answer: { status: 413, error: error("request_too_large", "Request exceeds the maximum size") },
		is: "overflow",
		says: /Request too large/,
	},
	{
		what: "401",
		answer: { status: 401, error: error("authentication_error", "invalid x-api-key") },
		is: "final",
		says: /Invalid API key.*\/login/,
	},
	{
		what: "403",
		answer: { status: 403, error: error("permission_error", "not allowed") },
		is: "final",
		says: /not allowed.*\/login/,
	},
	{
		what: "404",
		answer: { status: 404, error: error("not_found_error", "model: x") },
		is: "final",
		says: /issue with the selected model.*Choose another model/,
	},
	{
		what: "no credit",
		answer: {
			status: 400,
			error: error("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
		},
		is: "final",
		says: /Credit balance is too low\. Add credit/,
	},
	{
		what: "another 400",
		answer: { status: 400, error: error("invalid_request_error", "messages: bad") },
		is: "final",
		says: /messages: bad/,
	},
	{ what: "a refusal", answer: { text: "I", stop: "refusal" }, is: "final", says: /refused/ },
];

for (const { what, answer, is, says } of TABLE) {
	test(`${what} is ${is} to pi-ai, and the process is gone`, { skip: withoutClaude }, async (t) => {
		const world = await createWorld(t);
		// The CLI sends some requests again in another form; it meets the same answer.
		world.api.answer(...Array(4).fill(answer));
		const { message } = await world.ask([user("hello")]);
		assert.equal(message.stopReason, "error");
		assert.match(message.errorMessage!, says);
		assert.equal(meaningOf(message.errorMessage!), is, message.errorMessage);

		const sent = world.api.requests.length;
		world.api.answer({ text: "Here." });
		const again = await world.ask([user("hello"), message, user("again")]);
		assert.equal(textOf(again.message), "Here.");
		assert.equal(world.starts.length, 2);
		assert.equal(world.api.requests.length, sent + 1, "the ended process sent nothing more");
	});
}

test("a key that the API repeats when it refuses it is not in the text", {
	skip: withoutClaude,
}, async (t) => {
	const key = "sk-ant-of-no-one-0123456789";
	const world = await createWorld(t, { variables: { ANTHROPIC_API_KEY: key } });
	for (const [status, type] of [
		[401, "authentication_error"],
		[400, "invalid_request_error"],
		[500, "api_error"],
	] as const) {
		world.api.answer(...Array(4).fill({ status, error: error(type, `Incorrect API key provided: ${key}`) }));
		const { message } = await world.ask([user("hello")]);
		assert.match(message.errorMessage!, /Incorrect API key provided: \[key\]/);
		assert.equal(JSON.stringify(message).includes(key), false);
	}
});

test("a plan's limit is a wait until the time the API gives", { skip: withoutClaude }, async (t) => {
	const world = await createWorld(t, { variables: { CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-dummy" } });
	const resetsAt = Math.floor(Date.now() / 1_000) + 7_200;
	world.api.answer({
		status: 429,
		error: error("rate_limit_error", "limit"),
		headers: {
			"anthropic-ratelimit-unified-status": "rejected",
			"anthropic-ratelimit-unified-reset": String(resetsAt),
			"anthropic-ratelimit-unified-representative-claim": "five_hour",
		},
	});
	const { message } = await world.ask([user("hello")]);
	const seconds = Number(/^Server requested (\d+)s retry delay/.exec(message.errorMessage!)?.[1]);
	assert.ok(seconds > 7_000 && seconds <= 7_200, message.errorMessage);
	assert.match(message.errorMessage!, /You've hit your 5-hour limit · resets/);
});

for (const [what, url] of [
	["nobody listens", "http://127.0.0.1:9"],
	["the name leads nowhere", "http://nowhere.invalid"],
] as const) {
	test(`where ${what}, the text is one that the network may be to blame for`, {
		skip: withoutClaude,
	}, async (t) => {
		const variables = { ANTHROPIC_API_KEY: "dummy-key", ANTHROPIC_BASE_URL: url };
		const world = await createWorld(t, { variables });
		const { message } = await world.ask([user("hello")]);
		assert.equal(meaningOf(message.errorMessage!), "retryable", message.errorMessage);
		assert.ok(isNetworkFailure(message.errorMessage!, ""), message.errorMessage);
	});
}

test("without a login the text says what to do", { skip: withoutClaude }, async (t) => {
	const world = await createWorld(t, { variables: {} });
	const { message } = await world.ask([user("hello")]);
	assert.match(message.errorMessage!, /Not logged in.*Run claude and then \/login/);
	assert.equal(meaningOf(message.errorMessage!), "final");
	assert.equal(world.api.requests.length, 0);
});

test("without the program the text says so", async () => {
	const provider = createClaudeCodeProvider({ environment: async () => ({ PATH: "/missing", HOME: "/" }) });
	const context = normalizeContext({ messages: [user("hello")] });
	const message = await provider.streamSimple(provider.getModels()[0]!, context).result();
	assert.match(message.errorMessage!, /Claude Code is not installed/);
	assert.equal(meaningOf(message.errorMessage!), "final");
});

for (const [what, answer] of [
	["max_tokens", { text: "some words that stop", stop: "max_tokens" }],
	["a full context", { text: "some words that stop", stop: "model_context_window_exceeded" }],
	["an empty answer", { text: "" }],
] as const) {
	test(`at ${what} the CLI sends nothing more by itself`, { skip: withoutClaude }, async (t) => {
		const world = await createWorld(t);
		world.api.answer(answer);
		const { message } = await world.ask([user("hello")]);
		assert.equal(message.stopReason, "stop" in answer ? "length" : "stop");
		world.api.answer({ text: "Here." });
		assert.equal(textOf((await world.ask([user("hello"), user("again")])).message), "Here.");
		assert.equal(world.api.requests.length, 2);
	});
}

test("an abort ends the request at once, and nothing more is sent", { skip: withoutClaude }, async (t) => {
	const world = await createWorld(t);
	const abort = new AbortController();
	world.api.answer({ text: "some words and then nothing at all", fault: "hang" });
	const { message } = await world.ask([user("hello")], {
		signal: abort.signal,
		onEvent: ({ type }) => type === "text_delta" && abort.abort(),
	});
	assert.equal(message.stopReason, "aborted");
	world.api.answer({ text: "Here." });
	assert.equal(textOf((await world.ask([user("again")])).message), "Here.");
	assert.deepEqual([world.starts.length, world.api.requests.length], [2, 2]);
});

test("five minutes of silence in the middle of an answer end it as interrupted", {
	skip: withoutClaude,
}, async (t) => {
	const clock = createManualClock();
	const world = await createWorld(t, { clock });
	world.api.answer({ text: "some words and then nothing at all", fault: "hang" });
	const half = Promise.withResolvers<void>();
	let deltas = 0;
	const asked = world.ask([user("hello")], {
		onEvent: ({ type }) => type === "text_delta" && ++deltas === 2 && half.resolve(),
	});
	await half.promise;
	await clock.advance(5 * 60_000 - 1);
	assert.equal(clock.timers().length, 1);
	await clock.advance(60_000);
	const { message } = await asked;
	assert.match(message.errorMessage!, /interrupted: nothing came from Claude Code for 300 s/);
	assert.equal(meaningOf(message.errorMessage!), "retryable");
});

test("every text is what pi-ai must take it for, whatever the CLI's words", () => {
	const now = Date.UTC(2026, 0, 1);
	const cases: readonly [CliFailure, Meaning][] = [
		[{ text: "Something new", status: 500 }, "retryable"],
		[{ text: "Something new", status: 502 }, "retryable"],
		[{ text: "Something new", status: 529 }, "retryable"],
		[{ text: "Something new", status: 429 }, "retryable"],
		[{ text: "Something new", status: 408 }, "retryable"],
		[{ text: "Something new", reason: "api_error" }, "retryable"],
		[{ text: "Something new", status: 413 }, "overflow"],
		[{ text: "Something new", reason: "prompt_too_long", status: 400 }, "overflow"],
		[{ text: "Something new", reason: "blocking_limit" }, "overflow"],
		[{ text: "Something new", status: 400 }, "final"],
		[{ text: "Something new", status: 404 }, "final"],
		[{ text: "You've hit your 5-hour limit · resets 3pm", status: 429 }, "final"],
	];
	for (const [failure, meaning] of cases) {
		const text = failureText(failure, now);
		assert.equal(meaningOf(text), meaning, text);
		assert.ok(text.includes(failure.text));
	}
	assert.match(
		failureText({ text: "You've hit your limit", status: 429, limitedUntil: now + 60_500 }, now),
		/^Server requested 61s retry delay/,
	);
});

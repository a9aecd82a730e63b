import assert from "node:assert/strict";
import { test } from "node:test";
import { session } from "../testing/sessions.ts";
import { ago, duration, nameOfFolder, oneLine, spentToday, stateInWords, until } from "./words.ts";

const NOW = new Date(2026, 10, 30, 15, 0, 0).getTime();

test("durations are told in their largest unit, in a menu to the minute", () => {
	assert.deepEqual(
		[48_999, 14 * 60_000, 3 * 3_600_000, 50 * 3_600_000, -5].map((ms) => duration(ms)),
		["48 s", "14 min", "3 h", "2 d", "0 s"],
	);
	assert.equal(duration(48_000, "minute"), "under 1 min");
	assert.equal(ago(NOW - 10, NOW), "now");
});

test("a wait says until when: a time today, else with the day; its last minute counts down", () => {
	assert.equal(until(NOW + 3 * 3_600_000, NOW), "until 18:00");
	assert.equal(until(NOW + 24 * 3_600_000, NOW), "until Dec 1 15:00");
	assert.equal(until(NOW + 4_000, NOW), "trying again in 4 s");
	assert.equal(until(NOW + 4_000, NOW, "minute"), "trying again soon");
});

test("a session's state is a fragment that says what it does or waits for", () => {
	const running = { kind: "running", since: NOW - 120_000 } as const;
	const activity = { text: "bash", since: NOW - 48_000 };
	assert.equal(stateInWords(session("1", { state: running, activity }), NOW), "bash, 48 s");
	assert.equal(stateInWords(session("1", { state: running }), NOW), "running, 2 min");
	const limit = { kind: "waiting", for: "limit", until: NOW + 3 * 3_600_000 } as const;
	assert.equal(stateInWords(session("1", { state: limit }), NOW), "plan limit until 18:00");
	const slot = { kind: "waiting", for: "slot" } as const;
	assert.equal(stateInWords(session("1", { state: slot }), NOW), "waiting for a slot");
	const retry = { kind: "waiting", for: "retry", until: NOW + 4_000 } as const;
	for (const [cause, words] of [
		["dropped", "connection dropped, trying again in 4 s"],
		["rate_limit", "too many requests, trying again in 4 s"],
		["overloaded", "model overloaded, trying again in 4 s"],
	] as const)
		assert.equal(stateInWords(session("1", { state: { ...retry, cause } }), NOW), words);
	assert.equal(stateInWords(session("1", { state: retry }), NOW), "answer failed, trying again in 4 s");
	assert.equal(
		stateInWords(session("1", { state: { kind: "failed", reason: "no key" } }), NOW),
		"failed: no key",
	);
});

test("texts stay on one line and end at a word", () => {
	assert.equal(oneLine("  a\n\tb  ", 10), "a b");
	assert.equal(oneLine("one two three four", 12), "one two…");
	assert.equal(oneLine("x".repeat(20), 5), "xxxx…");
	assert.equal(nameOfFolder("/home/ada/shop/"), "shop");
	assert.equal(nameOfFolder("/"), "/");
	assert.equal(spentToday({ cost: 3.1, runs: 41 }), "$3.10 · 41 runs");
	assert.equal(spentToday({ cost: 0, runs: 1 }), "$0.00 · 1 run");
	assert.equal(spentToday({ cost: 0.42, runs: 2, estimated: true }), "≈ $0.42 at API prices · 2 runs");
});

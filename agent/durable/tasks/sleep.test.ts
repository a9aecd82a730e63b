import assert from "node:assert/strict";
import { test } from "node:test";
import { createManualClock } from "../testing/manual-clock.ts";
import { sleepUntil } from "./sleep.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function sleeping(clock: ReturnType<typeof createManualClock>, ms: number, lengthMs = ms) {
	const controller = new AbortController();
	const state = { done: false, error: undefined as unknown, controller };
	sleepUntil(clock, clock.now() + ms, lengthMs, controller.signal).then(
		() => {
			state.done = true;
		},
		(error) => {
			state.error = error;
		},
	);
	return state;
}

test("a long sleep is many timers of a minute at most, and ends on time", async () => {
	const clock = createManualClock();
	const sleep = sleeping(clock, 24 * HOUR);
	for (let passed = 0; passed < 24 * HOUR - MINUTE; passed += 30 * MINUTE) {
		assert.ok(clock.timers().length === 1 && clock.timers()[0]! <= MINUTE);
		await clock.advance(30 * MINUTE);
		assert.equal(sleep.done, passed + 30 * MINUTE >= 24 * HOUR);
	}
	assert.equal(sleep.done, true);
	assert.deepEqual(clock.timers(), []);
});

test("a clock set back never makes a sleep longer than it was meant to be", async () => {
	const clock = createManualClock();
	const sleep = sleeping(clock, HOUR);
	await clock.advance(30 * MINUTE);
	clock.setWall(clock.now() - 100 * 24 * HOUR);
	await clock.advance(30 * MINUTE - 1);
	assert.equal(sleep.done, false);
	await clock.advance(1);
	assert.equal(sleep.done, true);
});

test("a clock set forward ends a sleep within a minute", async () => {
	const clock = createManualClock();
	const sleep = sleeping(clock, 10 * HOUR);
	clock.setWall(clock.now() + 11 * HOUR);
	await clock.advance(MINUTE);
	assert.equal(sleep.done, true);
});

test("a deadline that was stored before a clock was set back is waited for no longer than its length", async () => {
	const clock = createManualClock();
	const sleep = sleeping(clock, 500 * HOUR, 2 * HOUR);
	await clock.advance(2 * HOUR - 1);
	assert.equal(sleep.done, false);
	await clock.advance(1);
	assert.equal(sleep.done, true);
});

test("a deadline that has passed is no wait", async () => {
	const clock = createManualClock();
	const sleep = sleeping(clock, -1);
	await clock.advance(0);
	assert.equal(sleep.done, true);
	assert.deepEqual(clock.timers(), []);
});

test("a signal ends a sleep with its reason and leaves no timer", async () => {
	const clock = createManualClock();
	const sleep = sleeping(clock, HOUR);
	const reason = new Error("stop");
	sleep.controller.abort(reason);
	await clock.advance(0);
	assert.equal(sleep.error, reason);
	assert.deepEqual(clock.timers(), []);
	await assert.rejects(sleepUntil(clock, clock.now() + 1, 1, AbortSignal.abort(reason)), reason);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { wireError } from "../protocol/index.ts";
import { createManualTimer } from "../protocol/testing/manual-timer.ts";
import { createIntake } from "./intake.ts";

function intake() {
	const timer = createManualTimer();
	return { ...createIntake(timer.after), timer };
}

test("what is held back goes on when it is let go", async () => {
	const { through, hold, release } = intake();
	await hold(1_000);
	const log: string[] = [];
	const held = through(async () => log.push("work"));
	await new Promise((resolve) => setImmediate(resolve));
	assert.deepEqual(log, []);
	release();
	await held;
	assert.deepEqual(log, ["work"]);
});

test("holding back waits for what is under way, but not for ever", async () => {
	const { through, hold } = intake();
	const first = Promise.withResolvers<void>();
	const work = through(() => first.promise);
	const quiet = hold(1_000);
	first.resolve();
	await quiet;
	await work;

	const again = intake();
	void again.through(() => new Promise(() => {}));
	const patient = again.hold(1_000);
	(await again.timer.of(1_000)).fire();
	await patient;
});

test("what is refused is told why, what was held back too", async () => {
	const { through, hold, refuse } = intake();
	await hold(1_000);
	const held = through(async () => "never");
	const error = wireError("shutting_down", "The agent ends.");
	await refuse(error, 1_000);
	await assert.rejects(held, { code: "shutting_down", message: "The agent ends." });
	await assert.rejects(
		through(async () => "never"),
		{ code: "shutting_down" },
	);
});

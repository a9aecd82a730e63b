import assert from "node:assert/strict";
import { test } from "node:test";
import { createEnding, type EndingSteps } from "./ending.ts";

/** An ending whose idleness the test decides. */
function ending(more: Partial<EndingSteps> = {}) {
	const log: string[] = [];
	let isIdle = false;
	const waiting: (() => void)[] = [];
	const exited = Promise.withResolvers<string>();
	const made = createEnding({
		idle: () =>
			new Promise((resolve) => {
				if (isIdle) resolve();
				else waiting.push(resolve);
			}),
		hold: async () => void log.push("hold"),
		release: () => void log.push("release"),
		close: [
			{ name: "one", run: () => void log.push("one") },
			{
				name: "two",
				run: async () => {
					throw new Error("two breaks");
				},
			},
			{ name: "three", run: () => void log.push("three") },
		],
		report: (message, error) => void log.push(`${message} ${error ?? ""}`.trim()),
		exit: ({ kind }) => exited.resolve(kind),
		...more,
	});
	return {
		made,
		log,
		exited: exited.promise,
		becomes(idle: boolean) {
			isIdle = idle;
			if (idle) for (const resolve of waiting.splice(0)) resolve();
		},
	};
}

test("each step has its turn in order, whatever became of the one before, and it ends once", async () => {
	const { made, log, exited } = ending();
	void made.now({ kind: "signal", name: "SIGTERM" });
	void made.now({ kind: "asked", when: "now" });
	assert.equal(made.when, "now");
	assert.equal(await exited, "signal");
	assert.deepEqual(log, ["one", "Ending: two failed. Error: two breaks", "three"]);
});

test("told to end when idle, it says so, and ends once it is", async () => {
	const { made, log, exited, becomes } = ending();
	assert.equal(made.when, undefined);
	made.ask("idle");
	made.ask("idle");
	assert.equal(made.when, "idle");
	becomes(true);
	assert.equal(await exited, "asked");
	assert.deepEqual(log.slice(0, 2), ["hold", "one"]);
});

test("a message that comes at the moment it is idle is answered before the end", async () => {
	const held: string[] = [];
	const { made, exited, becomes, log } = ending({
		async hold() {
			held.push("hold");
			// A request that was under way starts work.
			if (held.length === 1) becomes(false);
		},
	});
	made.ask("idle");
	becomes(true);
	while (log.length === 0) await new Promise((resolve) => setImmediate(resolve));
	assert.deepEqual(log, ["release"]);
	assert.equal(made.ending, false);
	becomes(true);
	await exited;
	assert.equal(held.length, 2);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { createHandover } from "./handover.ts";

function handover(nothingRuns: (signal: AbortSignal) => Promise<void> = async () => {}) {
	const ends: string[] = [];
	const made = createHandover({
		version: "1.2.0",
		storeFormat: 3,
		nothingRuns,
		end: (to) => void ends.push(to),
		say: () => {},
	});
	return { ...made, made, ends };
}

const newer = { version: "1.3.0", storeFormat: 3, when: "now" } as const;
const { signal } = new AbortController();

test("an agent gives way to one that is as new and can read its store", async () => {
	const { giveWay, ends } = handover();
	await giveWay(newer, signal);
	await giveWay({ ...newer, version: "1.2.0" }, signal);
	assert.deepEqual(ends, ["1.3.0", "1.2.0"]);
});

test("one that knows only older formats of the store is refused, and nothing is changed", async () => {
	const { giveWay, ends } = handover();
	await assert.rejects(giveWay({ ...newer, storeFormat: 2 }, signal), {
		code: "handover_refused",
		message: /can't read its store \(the format is 3, that one knows up to 2\)/,
	});
	await assert.rejects(giveWay({ ...newer, version: "1.1.9" }, signal), {
		code: "handover_refused",
		message: /since agent 1\.1\.9 is older/,
	});
	assert.deepEqual(ends, []);
});

test("a wish to take over when nothing runs lasts as long as who has it", async () => {
	const gone = new AbortController();
	const { made, ends } = handover(
		(given) =>
			new Promise((_resolve, reject) => {
				given.addEventListener("abort", () => reject(given.reason));
			}),
	);
	const asked = made.giveWay({ ...newer, when: "idle" }, gone.signal);
	assert.equal(made.isWanted, true);
	gone.abort();
	await assert.rejects(asked, { code: "handover_refused" });
	assert.equal(made.isWanted, false);
	assert.deepEqual(ends, []);
});

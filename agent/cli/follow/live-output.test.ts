import assert from "node:assert/strict";
import { test } from "node:test";
import { createLiveOutput } from "./live-output.ts";

/** Hands an output views of itself and returns the texts it hands out; `null` stands for a while without a new one. */
function texts(views: readonly (string | null)[], end?: string): string[] {
	const output = createLiveOutput();
	const steps = views.map((view) => (view === null ? output.settle() : output.next(view, false).text));
	return end === undefined ? steps : [...steps, output.next(end, true).text];
}

test("whole lines are handed out once, the last one when it has settled or the call has ended", () => {
	assert.deepEqual(texts(["one\ntw", "one\ntwo\nthr", "one\ntwo\nthr"], "one\ntwo\nthree"), [
		"one\n",
		"two\n",
		"",
		"three",
	]);
	assert.deepEqual(texts(["started", null, null, "started\nmo", null]), ["", "started", "", "\n", "mo"]);
});

test("a line that goes on after it has settled goes on", () => {
	assert.deepEqual(texts([".", null, "..", null, "...done\nend"], "...done\nend"), [
		"",
		".",
		"",
		".",
		".done\n",
		"end",
	]);
});

test("a line that is drawn again and again is handed out as it was when it settled, each on a line of its own", () => {
	assert.deepEqual(texts(["a 1%", "a 9%", "a 100%\nb"], "a 100%\nb"), ["", "", "a 100%\n", "b"]);
	assert.deepEqual(texts(["x\na 1%", null, "x\na 2%", null, "x\nb"], "x\nb"), [
		"x\n",
		"a 1%",
		"",
		"\na 2%",
		"",
		"\nb",
	]);
});

test("output whose beginning is no longer to be had goes on where it was", () => {
	const lines = Array.from({ length: 3000 }, (_, at) => `line ${at}\n`);
	const output = createLiveOutput();
	output.next(lines.slice(0, 2000).join(""), false);
	const step = output.next(lines.slice(500, 2100).join(""), false);
	assert.deepEqual(step, { text: lines.slice(2000, 2100).join(""), skipped: false });
});

test("output that went by faster than it could be followed is shown from a line near its end, with a mark", () => {
	const lines = Array.from({ length: 9000 }, (_, at) => `line ${at}\n`);
	const output = createLiveOutput();
	output.next(lines.slice(0, 1000).join(""), false);
	const step = output.next(lines.slice(4000, 9000).join(""), false);
	assert.equal(step.skipped, true);
	assert.ok(step.text.length <= 4096);
	assert.ok(lines.join("").endsWith(step.text));
	assert.match(step.text, /^line \d+\n/);
	assert.equal(output.next(lines.slice(4001, 9000).join(""), false).text, "");
});

test("of a result only what the output did not say is left", () => {
	const after = (views: readonly string[], settles: boolean, result: string) => {
		const output = createLiveOutput();
		for (const view of views) output.next(view, false);
		if (settles) output.settle();
		return output.rest(result);
	};
	assert.equal(after(["one\ntwo"], true, "one\ntwo\nexit code 1"), "\nexit code 1");
	assert.equal(after(["one\ntwo"], false, "one\ntwo\nexit code 1"), "two\nexit code 1");
	assert.equal(after(["one\ntwo"], true, "one\ntwo"), "");
	assert.equal(after(["one\ntwo"], true, "something else"), "");
	assert.equal(after([""], true, "all of it"), "all of it");
	const nothing = createLiveOutput();
	nothing.next("open", false);
	assert.deepEqual([nothing.started, nothing.open], [false, "open"]);
});

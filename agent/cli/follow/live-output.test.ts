import assert from "node:assert/strict";
import { test } from "node:test";
import { createLiveOutput } from "./live-output.ts";

test("whole lines are handed out once, the last one when it is whole or the call has ended", () => {
	const output = createLiveOutput();
	assert.deepEqual(output.next("one\ntw", false), { text: "one\n", skipped: false, open: "tw" });
	assert.deepEqual(output.next("one\ntwo\n", false), { text: "two\n", skipped: false, open: "" });
	assert.deepEqual(output.next("one\ntwo\n", false), { text: "", skipped: false, open: "" });
	assert.deepEqual(output.next("one\ntwo\nend", true), { text: "end", skipped: false, open: "" });
});

test("a last line that a program draws again and again is handed out in its last form", () => {
	const output = createLiveOutput();
	assert.equal(output.next("a 1%", false).open, "a 1%");
	assert.equal(output.next("a 99%", false).open, "a 99%");
	assert.deepEqual(output.next("a 100%\nb", false), { text: "a 100%\n", skipped: false, open: "b" });
});

test("output whose beginning is no longer to be had goes on where it was", () => {
	const lines = Array.from({ length: 3000 }, (_, at) => `line ${at}\n`);
	const output = createLiveOutput();
	output.next(lines.slice(0, 2000).join(""), false);
	const step = output.next(lines.slice(500, 2100).join(""), false);
	assert.equal(step.skipped, false);
	assert.equal(step.text, lines.slice(2000, 2100).join(""));
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
	const output = createLiveOutput();
	output.next("one\ntwo\n", true);
	assert.equal(output.rest("one\ntwo\n\nThe command ended with 1."), "The command ended with 1.");
	assert.equal(output.rest("one\ntwo"), "");
	assert.equal(output.rest("something else"), "");
	const nothing = createLiveOutput();
	nothing.next("", true);
	assert.equal(nothing.started, false);
	assert.equal(nothing.rest("all of it"), "all of it");
});

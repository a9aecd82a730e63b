import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes } from "./bytes.ts";
import { columns, firstColumns, fitColumns } from "./columns.ts";
import { printable, printableLine } from "./printable.ts";
import { table } from "./table.ts";
import { ago, clockTime, duration } from "./time-words.ts";

test("what a terminal would obey is taken out, and nothing else", () => {
	assert.equal(printable("a\tb\nc 渐😀é"), "a\tb\nc 渐😀é");
	assert.equal(printable("x\u001b[31my\u001b]8;;http://a\u0007z\u001b]8;;\u0007\u0007\r\n"), "xyz\n");
	assert.equal(printable("a\u0085b\u2067c"), "abc");
	assert.equal(printableLine("  two\n lines\t"), "two lines");
});

test("the columns of a text are those that a terminal draws", () => {
	assert.equal(columns("abc"), 3);
	assert.equal(columns("渐进"), 4);
	assert.equal(columns("😀"), 2);
	assert.equal(columns("👩‍👩‍👧"), 2);
	assert.equal(columns("e\u0301"), 1);
	assert.equal(firstColumns("渐进ab", 3), "渐");
	assert.equal(fitColumns("渐进ab", 5), "渐进…");
	assert.equal(fitColumns("abc", 3), "abc");
});

test("tables align wide characters too, and are cut only where there is an edge", () => {
	const rows = [
		["渐", "one", "x"],
		["abc", "two", "yyyyy"],
	];
	assert.equal(table(rows, undefined), "渐   one  x\nabc  two  yyyyy");
	assert.equal(table(rows, 11), "渐   one  x\nabc  two  …");
});

test("times and sizes are said in their largest unit", () => {
	assert.deepEqual([4_000, 60_000, 7_200_000, 259_200_000].map(duration), ["4 s", "1 min", "2 h", "3 days"]);
	assert.equal(ago(1_000, 3_000), "now");
	assert.equal(ago(0, 60_000), "1 min ago");
	const noon = new Date(2030, 4, 6, 12, 5).getTime();
	assert.equal(clockTime(noon, noon), "12:05");
	assert.equal(clockTime(noon, noon + 86_400_000), "2030-05-06 12:05");
	assert.deepEqual([0, 9999, 98_000_000, 10_000_000_000].map(bytes), [
		"0 bytes",
		"9999 bytes",
		"98 MB",
		"10 GB",
	]);
});

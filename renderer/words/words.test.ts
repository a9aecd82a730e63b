import assert from "node:assert/strict";
import { test } from "node:test";
import { byteWords, count, moneyWords, percentWords, priceWords, tokenSize, wholeNumber } from "./amounts.ts";
import { baseName, pathFrom, tildePath } from "./paths.ts";
import { exactDuration, shortDuration, untilMoment, untilWords, whenWords } from "./time.ts";

const at = (text: string) => new Date(text).getTime();

test("a duration has one unit in lists and two where it is exact", () => {
	assert.deepEqual([0, 48_900, 60_000, 3_599_000, 3_600_000, 86_400_000, 2 * 86_400_000].map(shortDuration), [
		"0 s",
		"48 s",
		"1 min",
		"59 min",
		"1 h",
		"1 day",
		"2 days",
	]);
	assert.deepEqual([0, 1_440, 48_000, 128_000, 3_900_000, 7_200_000].map(exactDuration), [
		"0.0 s",
		"1.4 s",
		"48 s",
		"2 min 8 s",
		"1 h 5 min",
		"2 h",
	]);
	assert.equal(shortDuration(-5), "0 s");
});

test("a countdown is rounded up, so that it ends at 0", () => {
	assert.equal(untilWords(4_000, 1), "4 s");
	assert.equal(untilWords(4_000, 3_999), "1 s");
	assert.equal(untilWords(4_000, 4_000), "0 s");
	assert.equal(untilWords(4_000, 9_000), "0 s");
});

test("a time is of the day until a day has passed", () => {
	const now = at("2026-03-12T14:00:00");
	assert.equal(whenWords(at("2026-03-12T09:12:00"), now), "09:12");
	assert.equal(whenWords(at("2026-03-11T23:59:00"), now), "Yesterday");
	assert.equal(whenWords(at("2026-03-10T10:00:00"), now), "Tuesday");
	assert.equal(whenWords(at("2026-02-01T10:00:00"), now), "1 Feb");
	assert.equal(whenWords(at("2024-02-01T10:00:00"), now), "1 Feb 2024");
	assert.equal(untilMoment(at("2026-03-12T18:00:00"), now), "18:00");
	assert.equal(untilMoment(at("2026-03-13T03:00:00"), now), "tomorrow 03:00");
	assert.equal(untilMoment(at("2026-03-20T03:00:00"), now), "20 Mar 03:00");
});

test("every amount has its unit", () => {
	assert.equal(wholeNumber(76_210), "76,210");
	assert.deepEqual(
		[count(1, "line"), count(41_882, "line"), count(6, "match", "matches")],
		["1 line", "41,882 lines", "6 matches"],
	);
	assert.deepEqual([0, 999, 6_100_000, 999_600, 250_000_000].map(byteWords), [
		"0 B",
		"999 B",
		"6.1 MB",
		"1.0 MB",
		"250 MB",
	]);
	assert.deepEqual(
		[moneyWords(0.42, false), moneyWords(0.42, true), moneyWords(0, true), moneyWords(0.004, false)],
		["$0.42", "≈ $0.42 at API prices", "$0", "$0.004"],
	);
	assert.deepEqual(
		[percentWords(0, 5), percentWords(1, 5_000), percentWords(4_999, 5_000), percentWords(5, 5)],
		["0%", "1%", "99%", "100%"],
	);
	assert.equal(priceWords(null), undefined);
	assert.deepEqual(priceWords({ input: 3, output: 15 }), {
		short: "$3 / $15",
		long: "$3 in and $15 out, per million tokens",
	});
	assert.deepEqual([tokenSize(900), tokenSize(200_000), tokenSize(1_000_000)], ["900", "200k", "1M"]);
});

test("paths are short where that is clear", () => {
	assert.equal(tildePath("/home/ada/code/shop", "/home/ada"), "~/code/shop");
	assert.equal(tildePath("/home/adam/code", "/home/ada"), "/home/adam/code");
	assert.equal(tildePath("/", "/"), "/");
	assert.equal(baseName("/home/ada/code/shop/"), "shop");
	assert.equal(baseName("/"), "/");
	assert.equal(pathFrom("/home/ada/shop/a.ts", "/home/ada/shop", "/home/ada"), "a.ts");
	assert.equal(pathFrom("/home/ada/b.ts", "/home/ada/shop", "/home/ada"), "~/b.ts");
});

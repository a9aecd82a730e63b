import assert from "node:assert/strict";
import { test } from "node:test";
import { said } from "../testing/entries.ts";
import {
	type ElsewhereWindow,
	EMPTY_WINDOW,
	joined,
	trimmed,
	withNewer,
	withNewest,
	withOlder,
} from "./transcript-window.ts";

const entries = Array.from({ length: 2000 }, (_, index) => said(String(index)));
const ids = (window: { entries: readonly { text: string }[] }) =>
	window.entries.map(({ text }) => Number(text));

test("entries that leave the watch's front stay loaded, and older pages go before them", () => {
	let window = withNewest(EMPTY_WINDOW, entries.slice(100, 110), true);
	window = withOlder(window, { entries: entries.slice(95, 100), hasOlder: true });
	window = withNewest(window, entries.slice(103, 113), true);
	assert.deepEqual(
		ids(window),
		Array.from({ length: 18 }, (_, index) => 95 + index),
	);
	window = withOlder(window, { entries: entries.slice(90, 97), hasOlder: false });
	assert.deepEqual(ids(window).slice(0, 6), [90, 91, 92, 93, 94, 95]);
	assert.equal(window.hasOlder, false);
	window = withNewest(window, entries.slice(104, 114), true);
	assert.equal(window.hasOlder, false, "what the watch says is about its own front");
	assert.equal(window.entries.length, 24);
});

test("a watch that moved on too far begins anew", () => {
	let window = withNewest(EMPTY_WINDOW, entries.slice(0, 10), false);
	window = withNewest(window, entries.slice(50, 60), true);
	assert.deepEqual(ids(window), [50, 51, 52, 53, 54, 55, 56, 57, 58, 59]);
	assert.equal(window.hasOlder, true);
});

test("a session that was empty gets its first entries", () => {
	const window = withNewest(withNewest(EMPTY_WINDOW, [], false), entries.slice(0, 1), false);
	assert.deepEqual(ids(window), [0]);
});

test("who follows the end keeps the newest only", () => {
	const window = trimmed({ entries, hasOlder: false });
	assert.deepEqual(
		[window.entries.length, window.hasOlder, window.entries.at(-1)],
		[500, true, entries.at(-1)],
	);
	const short = { entries: entries.slice(0, 100), hasOlder: false };
	assert.equal(trimmed(short), short);
});

test("entries elsewhere grow both ways until they meet the newest", () => {
	const loaded = { entries: entries.slice(50, 60), hasOlder: true };
	let elsewhere: ElsewhereWindow = { entries: entries.slice(20, 30), hasOlder: true, hasNewer: true };
	assert.equal(joined(elsewhere, loaded), undefined);
	elsewhere = { ...elsewhere, ...withOlder(elsewhere, { entries: entries.slice(15, 21), hasOlder: false }) };
	elsewhere = withNewer(elsewhere, { entries: entries.slice(29, 45), hasOlder: true, hasNewer: true });
	assert.equal(joined(elsewhere, loaded), undefined);
	elsewhere = withNewer(elsewhere, { entries: entries.slice(45, 55), hasOlder: true, hasNewer: true });
	const both = joined(elsewhere, loaded)!;
	assert.deepEqual(
		ids(both),
		Array.from({ length: 45 }, (_, index) => 15 + index),
	);
	assert.equal(both.hasOlder, false);
});

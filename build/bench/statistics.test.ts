import assert from "node:assert/strict";
import { test } from "node:test";
import { interleaved, median, quantile } from "./statistics.ts";

test("quantiles lie between the two nearest values, and the values stay as they are", () => {
	const values = [40, 10, 30, 20];
	assert.equal(median(values), 25);
	assert.equal(quantile(values, 0), 10);
	assert.equal(quantile(values, 1), 40);
	assert.ok(Math.abs(quantile(values, 0.99) - 39.7) < 1e-9);
	assert.equal(median([7]), 7);
	assert.deepEqual(values, [40, 10, 30, 20]);
	assert.throws(() => median([]), /no values/);
});

test("measures are taken in turn, in both orders", async () => {
	const taken: string[] = [];
	const measure = (name: string, value: number) => async () => {
		taken.push(name);
		return value;
	};
	const values = await interleaved(3, [measure("a", 1), measure("b", 2)]);
	assert.equal(taken.join(""), "abbaab");
	assert.deepEqual(values, [
		[1, 1, 1],
		[2, 2, 2],
	]);
});

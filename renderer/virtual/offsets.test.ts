import assert from "node:assert/strict";
import { test } from "node:test";
import { createOffsets } from "./offsets.ts";

const rows = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, index) => ({ key: `r${from + index}` }));

test("rows lie one after the other, guessed until they are measured", () => {
	const offsets = createOffsets(() => 10);
	offsets.setRows(rows(0, 4));
	assert.deepEqual([offsets.total, offsets.of(0), offsets.of(3), offsets.of(4)], [40, 0, 30, 40]);
	assert.ok(offsets.measure([["r1", 25]]));
	assert.ok(!offsets.measure([["r1", 25]]), "the same again moves nothing");
	assert.deepEqual([offsets.total, offsets.of(1), offsets.of(2)], [55, 10, 35]);
	assert.deepEqual([-5, 0, 9, 10, 34, 35, 54, 99].map(offsets.at), [0, 0, 0, 1, 1, 2, 3, 3]);
});

test("rows put before move the others, which keep their heights", () => {
	const offsets = createOffsets(() => 10);
	offsets.setRows(rows(2, 4));
	offsets.measure([["r3", 50]]);
	offsets.setRows(rows(0, 5));
	assert.deepEqual([offsets.indexOf("r3"), offsets.of(3), offsets.of(4), offsets.total], [3, 30, 80, 90]);
});

test("rows taken away are forgotten, but for their heights", () => {
	const offsets = createOffsets(() => 10);
	offsets.setRows(rows(0, 5));
	offsets.measure([["r4", 30]]);
	offsets.setRows(rows(0, 2));
	assert.deepEqual([offsets.indexOf("r4"), offsets.total], [undefined, 20]);
	assert.ok(!offsets.measure([["r4", 40]]));
	offsets.setRows(rows(3, 5));
	assert.deepEqual([offsets.indexOf("r0"), offsets.indexOf("r4"), offsets.total], [undefined, 1, 50]);
	offsets.setRows([]);
	assert.deepEqual([offsets.total, offsets.at(10), offsets.of(3)], [0, 0, 0]);
});

test("a row that changes its height at random places leaves a list that adds up", () => {
	const offsets = createOffsets(() => 7);
	const heights = Array.from({ length: 1000 }, () => 7);
	offsets.setRows(rows(0, 1000));
	for (let step = 0; step < 500; step++) {
		const index = (step * 7919) % 1000;
		heights[index] = (step % 40) + 1;
		offsets.measure([[`r${index}`, heights[index]!]]);
	}
	let y = 0;
	for (const [index, height] of heights.entries()) {
		assert.equal(offsets.of(index), y);
		assert.equal(offsets.at(y), index);
		y += height;
	}
	assert.equal(offsets.total, y);
});

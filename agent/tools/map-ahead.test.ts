import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mapAhead } from "./map-ahead.ts";

async function* numbers(to: number) {
	for (let number = 1; number <= to; number++) yield number;
}

describe("Mapping ahead", () => {
	it("keeps the order, with no more than so many under way", async () => {
		let now = 0;
		let most = 0;
		const seen: (readonly [number, number])[] = [];
		const squares = mapAhead(numbers(20), 4, async (number) => {
			most = Math.max(most, ++now);
			for (let turn = 0; turn < (number * 7) % 5; turn++) await null;
			now -= 1;
			return number * number;
		});
		for await (const pair of squares) seen.push(pair);
		assert.deepEqual(
			seen,
			Array.from({ length: 20 }, (_, index) => [index + 1, (index + 1) ** 2]),
		);
		assert.ok(most > 1 && most <= 4);
	});

	it("leaves nothing under way when its reader stops or one fails", async () => {
		let now = 0;
		const run = async (number: number) => {
			now += 1;
			await null;
			now -= 1;
			if (number > 2) throw new Error(`${number} failed`);
			return number;
		};
		for await (const [number] of mapAhead(numbers(9), 3, run)) if (number === 1) break;
		assert.equal(now, 0);
		const readAll = async () => {
			for await (const [number] of mapAhead(numbers(9), 3, run)) assert.ok(number < 3);
		};
		await assert.rejects(readAll, /3 failed/);
		assert.equal(now, 0);
	});
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { countValues } from "./count-values.ts";
import { randomJson, seededRandom } from "./testing/random.ts";

const ANY = Number.POSITIVE_INFINITY;

function valuesIn(value: unknown): number {
	if (typeof value !== "object" || value === null) return 1;
	return Object.values(value).reduce<number>((sum, child) => sum + valuesIn(child), 1);
}

describe("counting the values of a JSON text", () => {
	test("counts no fewer than there are, and at most one more for each empty list or object", (t) => {
		const random = seededRandom(t);
		for (let round = 0; round < 500; round++) {
			const text = JSON.stringify(randomJson(random));
			const actual = valuesIn(JSON.parse(text));
			const empty = text.match(/\[\]|\{\}/g)?.length ?? 0;
			const counted = countValues(text, ANY);
			assert.ok(counted >= actual && counted <= actual + empty, `${counted} for ${actual} in ${text}`);
		}
	});

	test("what strings hold doesn't count", () => {
		assert.equal(countValues(JSON.stringify('[{,"\\[{,\\\\"'), ANY), 1);
		assert.equal(countValues('["\\\\",1]', ANY), 3);
		assert.equal(countValues('["\\\\\\"[,",1]', ANY), 3);
	});

	test("stops once there are too many", () => {
		assert.equal(countValues("[".repeat(1000), 10), 11);
	});

	test("ends on text that isn't JSON", () => {
		for (const text of ['"', '"\\', '"\\"', "", "]", '{"a'] as const) assert.ok(countValues(text, ANY) >= 1);
	});
});

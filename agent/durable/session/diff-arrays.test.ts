import assert from "node:assert/strict";
import { test } from "node:test";
import { applyImmutable } from "@earendil-works/chord/delta";
import { createSeededRandom } from "../testing/seeded-random.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { diff } from "./diff.ts";

test("a window that slides over a list costs what left and what came, not what stayed", () => {
	const items = Array.from({ length: 201 }, (_, id) => ({ id, text: "x".repeat(100) }));
	const ops = diff({ items: items.slice(0, 200) }, { items: items.slice(1) });
	assert.deepEqual(ops, [
		["p", ["items"], 200, 0, [items[200]]],
		["p", ["items"], 0, 1, []],
	]);
});

test("an element that changed inside a sliding window costs only its change", () => {
	const [a, b, c, d] = [{ id: "a" }, { id: "b", text: "one" }, { id: "c" }, { id: "d" }];
	const grown = { id: "b", text: "one two" };
	const ops = diff({ items: [{ id: "old" }, a, b, c] }, { items: [a, grown, c, d] } as JsonObject);
	assert.deepEqual(ops, [
		["p", ["items"], 4, 0, [d]],
		["a", ["items", 2, "text"], " two"],
		["p", ["items"], 0, 1, []],
	]);
});

test("lists made of the same elements in any order, with some lost, added or changed, become each other", () => {
	for (let seed = 0; seed < 3_000; seed++) {
		const random = createSeededRandom(seed);
		const pool: JsonValue[] = Array.from({ length: 8 }, (_, id) =>
			random.oneIn(3) ? random.below(3) : { id, text: "t".repeat(random.below(4)) },
		);
		const list = () => Array.from({ length: random.below(9) }, () => random.pick(pool));
		const before = { items: list() };
		const after = {
			items: list().map((item) =>
				typeof item === "object" && random.oneIn(4) ? { ...(item as JsonObject), changed: seed } : item,
			),
		};
		const ops = diff(before, after);
		assert.deepEqual(applyImmutable(before, ops), after, `seed ${seed}: ${JSON.stringify(ops)}`);
	}
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { table } from "./table.ts";

test("each figure has its value, its goal, whether that is met, and what it was made from", () => {
	const text = table([
		{
			name: "commit",
			value: 1.234,
			unit: "×",
			goal: 1.5,
			from: { "harness ms": 0.0378, "statements ms": 0.0167 },
		},
		{
			name: "per session",
			value: 5,
			unit: "MB",
			goal: 4.5,
			from: { "100 running MB": 654.4, "none MB": 154 },
		},
	]);
	assert.equal(
		text,
		[
			"             now     goal              from",
			"commit       1.23 ×  ≤ 1.5 ×   met     harness ms 0.0378, statements ms 0.0167",
			"per session  5 MB    ≤ 4.5 MB  missed  100 running MB 654, none MB 154",
			"",
		].join("\n"),
	);
});

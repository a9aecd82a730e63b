import assert from "node:assert/strict";
import { test } from "node:test";
import { readArguments } from "./arguments.ts";

const NAMES = ["commit", "cold start"];

test("everything is measured unless rows are named", () => {
	assert.deepEqual(readArguments([], NAMES), { kind: "run", rows: NAMES, quick: false, json: undefined });
	assert.deepEqual(readArguments(["--quick", "--only", "cold start", "--json", "a.json"], NAMES), {
		kind: "run",
		rows: ["cold start"],
		quick: true,
		json: "a.json",
	});
});

test("a row that there is not, and an option that there is not, are refused with what there is", () => {
	const row = readArguments(["--only", "speed"], NAMES);
	assert.deepEqual(row, {
		kind: "refused",
		reason: 'There is no row "speed"; there are: commit, cold start.',
	});
	const option = readArguments(["--fast"], NAMES);
	assert.ok(option.kind === "refused" && option.reason.includes("--fast"));
});

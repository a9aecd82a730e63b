import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../protocol/index.ts";
import { makePlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";
import { startTestAgent } from "../testing/test-agent.ts";

const spend = {
	input: 1_000,
	output: 20,
	cacheRead: 30_000,
	cacheWrite: 500,
	totalTokens: 31_520,
	cost: 0.42,
	estimated: false,
	runs: 3,
};
const plan = { ...spend, cost: 1.5, estimated: true, runs: 1 };
const REPORT = {
	rows: [
		{ key: "anthropic/claude", ...spend },
		{ key: "", ...plan },
	],
	total: { ...plan, cost: 1.92, runs: 4 },
};

test("usage asks for what was typed, and prints rows of uncached and cached tokens and cost", async (context) => {
	const place = makePlace(context);
	const asked: JsonObject[] = [];
	await startTestAgent(context, place, {
		handlers: {
			usage: (params) => {
				asked.push(params as JsonObject);
				return REPORT;
			},
		},
	});
	const json = await outlive(context, place, ["usage", "--since", "2026-03-31", "--by", "model", "--json"]);
	assert.equal(json.code, 0);
	assert.deepEqual(JSON.parse(json.stdout), REPORT);
	const words = await outlive(context, place, ["usage", "--by", "model"]);
	assert.deepEqual(
		words.stdout
			.trimEnd()
			.split("\n")
			.map((line) => line.split(/ {2,}/)),
		[
			["anthropic/claude", "3 runs", "1,500 in", "30,000 cached", "20 out", "$0.42"],
			["no model", "1 run", "1,500 in", "30,000 cached", "20 out", "≈ $1.50 at API prices"],
			["all", "4 runs", "1,500 in", "30,000 cached", "20 out", "≈ $1.92 at API prices"],
		],
	);
	await outlive(context, place, ["usage"]);
	assert.deepEqual(asked, [
		{ by: "model", since: new Date(2026, 2, 31).getTime() },
		{ by: "model" },
		{ by: "day" },
	]);
});

test("no spending is said in words, and a day that doesn't exist is wrong usage", async (context) => {
	const place = makePlace(context);
	const empty = { rows: [], total: { ...spend, runs: 0 } };
	await startTestAgent(context, place, { handlers: { usage: () => empty } });
	const { code, stdout, stderr } = await outlive(context, place, ["usage"]);
	assert.deepEqual([code, stdout, stderr], [0, "", "Nothing was spent in that time.\n"]);
	assert.deepEqual(JSON.parse((await outlive(context, place, ["usage", "--json"])).stdout), empty);
	assert.equal((await outlive(context, place, ["usage", "--since", "2026-02-30"])).code, 2);
	assert.equal((await outlive(context, place, ["usage", "--by", "hour"])).code, 2);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { json, ONE } from "../testing/answers.ts";
import { makePlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";
import { startTestAgent } from "../testing/test-agent.ts";
import { summary } from "../testing/views.ts";

test("rename, archive and set change just what they say", async (context) => {
	const place = makePlace(context);
	const agent = await startTestAgent(context, place, {
		handlers: {
			...ONE,
			"session.configure": ({ archived, title }) => ({
				session: summary({ archived: archived === true, title: String(title ?? "First") }),
			}),
		},
	});
	const renamed = await json(context, place, ["rename", "7", "New name"]);
	assert.equal(renamed.value.title, "New name");
	await outlive(context, place, ["archive", "7"]);
	await outlive(context, place, ["archive", "7", "--undo"]);
	await outlive(context, place, [
		"set",
		"7",
		"--model",
		"a/b",
		"--thinking",
		"high",
		"--tools",
		"read, bash",
	]);
	await outlive(context, place, [
		"set",
		"7",
		"--model",
		"default",
		"--thinking",
		"default",
		"--tools",
		"default",
	]);
	const changes = agent.requests.filter(({ method }) => method === "session.configure");
	assert.deepEqual(
		changes.map(({ params: { session: _, ...change } }) => change),
		[
			{ title: "New name" },
			{ archived: true },
			{ archived: false },
			{ model: "a/b", thinkingLevel: "high", tools: ["read", "bash"] },
			{ model: null, thinkingLevel: null, tools: null },
		],
	);
	assert.equal((await outlive(context, place, ["set", "7"])).code, 2);
	assert.equal((await outlive(context, place, ["rename", "7", " "])).code, 2);
});

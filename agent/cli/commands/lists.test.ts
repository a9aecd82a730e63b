import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { json } from "../testing/answers.ts";
import { makePlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";
import { startTestAgent } from "../testing/test-agent.ts";

test("allow, projects and models print what the agent says", async (context) => {
	const place = makePlace(context);
	const projects = {
		projects: [{ directory: "/p", name: "p", lastUsedAt: 1, sessions: 1, missing: true }],
		roots: ["/data"],
	};
	const models = {
		models: [
			{
				id: "script/script-1",
				provider: "script",
				name: "Scripted",
				contextWindow: 200_000,
				maxTokens: 1,
				images: false,
				thinkingLevels: ["off"],
				price: null,
			},
		],
		providers: [
			{ id: "script", name: "Scripted", kind: "scripted", available: true },
			{
				id: "cc",
				name: "Claude Code",
				kind: "claude-code",
				available: false,
				reason: "Not here.",
				fix: "Get it.",
			},
		],
		default: "script/script-1",
		refreshing: false,
	};
	const agent = await startTestAgent(context, place, {
		handlers: {
			"projects.allow": ({ directory }) => ({ directory, added: true }),
			"projects.list": () => projects,
			"models.list": () => models,
		},
	});
	const allowed = await json(context, place, ["allow", "../else"]);
	assert.deepEqual(allowed.value, { directory: join(place.home, "else"), added: true });
	assert.equal(agent.requests[0]!.params.directory, join(place.home, "else"));
	assert.deepEqual((await json(context, place, ["projects"])).value, projects);
	assert.deepEqual((await json(context, place, ["models"])).value, models);
	const words = await outlive(context, place, ["models"]);
	assert.match(words.stdout, /^script\/script-1 {2}Scripted \(default\) {2}200k context {2}no price\n/);
	assert.match(words.stdout, /Not available now:\n {2}Claude Code: Not here\. Get it\.\n$/);
	assert.match(
		(await outlive(context, place, ["projects"])).stdout,
		/\/p \(no longer there\)\n\nSessions may run/,
	);
});

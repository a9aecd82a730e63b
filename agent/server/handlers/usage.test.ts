import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../durable/testing/until.ts";
import { startAgent } from "../testing/agent.ts";

test("usage sums up all sessions by day, model or project, and the list shows what today cost", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.connect();
	const list = await client.watch("sessions.watch", {}, { onValue() {} });
	assert.deepEqual(list.value.today, { cost: 0, runs: 0, estimated: false });
	const empty = await client.request("usage", { by: "day" });
	assert.deepEqual([empty.rows, empty.total.runs], [[], 0]);

	await agent.session("one");
	await agent.session("two");
	await until("both runs are counted", () => list.value.today?.runs === 2);
	const days = await client.request("usage", { by: "day" });
	assert.match(days.rows[0]!.key, /^\d{4}-\d{2}-\d{2}$/);
	assert.equal(days.rows.length, 1);
	assert.equal(days.total.runs, 2);
	assert.ok(days.total.totalTokens > 0);
	const models = await client.request("usage", { by: "model" });
	assert.deepEqual(
		models.rows.map(({ key, runs }) => [key, runs]),
		[["script/script-1", 2]],
	);
	const projects = await client.request("usage", { by: "project" });
	assert.deepEqual(projects.rows.map(({ key }) => key).sort(), [`${agent.home}/p1`, `${agent.home}/p2`]);
	const later = await client.request("usage", { by: "day", since: Date.now() + 2 * 24 * 60 * 60_000 });
	assert.deepEqual(later.rows, []);
});

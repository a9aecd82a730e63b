import assert from "node:assert/strict";
import { test } from "node:test";
import { startAgent } from "./testing/agent.ts";

test("smoke", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.connect();
	const directory = await agent.folder("one");
	const created = await client.request("sessions.create", {
		directory,
		content: "slow 20: hello",
		requestId: "r1",
	});
	const done = Promise.withResolvers<void>();
	const seen: unknown[] = [];
	const watch = await client.watch(
		"session.watch",
		{ session: created.session },
		{
			onValue(value, change) {
				seen.push(change.kind === "ops" ? change.ops : value);
				if (value.submissions[0]?.status === "done") done.resolve();
			},
		},
	);
	await done.promise;
	console.log(JSON.stringify(seen, null, 0).replaceAll("],[", "],\n["));
	console.log(JSON.stringify(watch.value, null, 1));
	console.log(await client.request("agent.info", {}));
	assert.equal(agent.log.filter((l) => l.level === "error").length, 0);
});

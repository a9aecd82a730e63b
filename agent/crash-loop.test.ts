import assert from "node:assert/strict";
import { test } from "node:test";
import { isAnswered, untilView } from "./testing/session-probe.ts";
import { createSession, world } from "./testing/world.ts";

test("a session whose resume ends the agent three times without a new commit is parked, and the others go on", async (context) => {
	const { place, start, spawn } = world(context);
	const first = await start();
	const bad = await createSession(first.client, place.project, "hang");
	await untilView(first.client, bad, "it asks the model", ({ live }) => live.run !== undefined);
	const good = await createSession(first.client, place.project, "slow 30: on and on");
	await untilView(first.client, good, "the first words", ({ live }) =>
		(live.partial?.text ?? "").includes("3:"),
	);
	await first.agent.kill();

	// Each time the request of this one conversation is sent again, the process ends.
	const env = { OUTLIVE_CRASH_AT: `generation:request#${bad}:1` };
	for (let time = 0; time < 3; time++) assert.equal(await spawn({ env }).exited, null, "the agent is ended");

	const { client } = await start({ env });
	const parked = await untilView(client, bad, "it is parked", (view) => view.parked !== undefined);
	assert.equal(parked.session.state.kind, "needs_you");
	const other = await untilView(client, good, "the other one answers", isAnswered);
	assert.match(other.entries.at(-1)!.text, /30:/);

	// A stop settles it.
	assert.equal((await client.request("session.stop", { session: bad })).stopped, true);
	const settled = await untilView(client, bad, "it is idle", ({ session }) => session.state.kind === "idle");
	assert.equal(settled.parked, undefined);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { awaitWithContext, BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { obj } from "@earendil-works/pi-schema";
import { defineTool } from "../durable/index.ts";
import { until } from "../durable/testing/until.ts";
import {
	createFollower,
	encodeFrame,
	type Followed,
	type SessionView,
	type WatchEvent,
} from "../protocol/index.ts";
import { startAgent } from "./testing/agent.ts";
import { heldMemory } from "./testing/held-memory.ts";

const FRAMES = 100_000;
const MIB = 1024 * 1024;

test("100,000 frames for a client that reads nothing cost bounded memory, and it then gets one snapshot with the next number; another client gets every frame", async (t) => {
	const go = Promise.withResolvers<void>();
	const agent = await startAgent(t, { tools: [flood(go.promise)] });
	const session = await agent.session();
	const quick = await agent.connect();
	let frames = 0;
	const watch = await quick.watch("session.watch", { session }, { onValue: () => void frames++ });
	const slow = await agent.raw();
	await slow.hello();
	const started = await slow.request("session.watch", { session });
	const id = (started.result as { watch: string }).watch;
	const follower = createFollower<SessionView>();
	const first = follower.next((await slow.next()) as unknown as WatchEvent);
	assert.equal(first.kind, "value");
	await agent.sessions.send({
		id: agent.id(session),
		content: 'tools: [{"name":"flood","arguments":{}}]',
		requestId: "r",
	});
	await until("the call runs", () => watch.value.live.tools[0]?.status === "running");
	slow.pause();
	const before = await heldMemory();
	go.resolve();
	await until(
		"the flood is over",
		() => watch.value.submissions.at(-1)?.status === "done",
		// A busy machine takes its time for as many turns.
		200_000,
	);
	const grown = (await heldMemory()) - before;
	assert.ok(grown < 40 * MIB, `the memory grew by ${Math.round(grown / MIB)} MiB`);
	assert.ok(frames > FRAMES * 0.9, `the quick client got ${frames} values`);

	slow.resume();
	let snapshots = 0;
	let last: Followed<SessionView> = first;
	while (last.kind === "value" && last.value.submissions.at(-1)?.status !== "done") {
		const event = (await slow.next()) as unknown as WatchEvent;
		if (event.watch !== id) continue;
		last = follower.next(event);
		if ("snapshot" in event) snapshots++;
	}
	assert.equal(last.kind, "value", JSON.stringify(last).slice(0, 200));
	assert.equal(snapshots, 1);
	assert.deepEqual((last as { value: SessionView }).value, watch.value);
});

test("a client frozen for good is held no more against the agent than its bound, and goes when it is cut", async (t) => {
	const go = Promise.withResolvers<void>();
	const agent = await startAgent(t, { tools: [flood(go.promise, 500, "x".repeat(60_000))] });
	const session = await agent.session();
	const frozen = await agent.raw();
	await frozen.hello();
	for (let i = 0; i < 10; i++) await frozen.request("session.watch", { session, tail: 1 + i });
	frozen.pause();
	const before = await heldMemory();
	await agent.sessions.send({
		id: agent.id(session),
		content: 'tools: [{"name":"flood","arguments":{}}]',
		requestId: "r",
	});
	go.resolve();
	await agent.harness.waitForIdle(BACKGROUND_CONTEXT);
	const grown = (await heldMemory()) - before;
	assert.ok(grown < 60 * MIB, `the memory grew by ${Math.round(grown / MIB)} MiB`);
	// Its responses are its own to read; asking for more doesn't make the agent hold more.
	for (let i = 0; i < 50_000; i++)
		frozen.write(encodeFrame({ type: "request", id: `${i}`, method: "projects.list" }));
	frozen.close();
	await until("nothing is kept", () => agent.server.connections() === 0 && agent.server.watched() === 0);
});

/** Shows something new every other turn of the event loop: the turn between makes a frame of it. */
function flood(go: Promise<void>, frames = FRAMES, filler = "") {
	return defineTool({
		name: "flood",
		description: "Floods.",
		parameters: obj({}),
		replay: "safe",
		async execute(_args, api, context) {
			await awaitWithContext(go, context);
			for (let i = 0; i < frames && context.abortSignal?.aborted !== true; i++) {
				api.show(`${i}${filler}`);
				await nextTurn();
				await nextTurn();
			}
			return { content: [{ type: "text" as const, text: "over" }] };
		},
	});
}

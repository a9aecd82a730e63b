import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { currentRoute } from "../env/route.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import type { Network, NetworkEvent } from "../types/network.ts";
import { createNetwork } from "./network.ts";

function watched(t: TestContext) {
	const clock = createManualClock();
	const machine = { address: "10.0.0.1" as string | undefined };
	const network = createNetwork({ clock, route: async () => machine.address });
	t.after(() => network.close());
	return { clock, machine, network, ...listening(network) };
}

function listening(network: Network) {
	const events: NetworkEvent[] = [];
	const stop = network.subscribe((event) => events.push(event));
	return { events, stop };
}

test("a route that goes, comes back or changes is seen within seconds, once", async (t) => {
	const { clock, machine, events } = watched(t);
	await clock.advance(20_000);
	assert.deepEqual(events, []);
	machine.address = undefined;
	await clock.advance(5_000);
	machine.address = "10.0.0.1";
	await clock.advance(1_000);
	machine.address = "10.0.0.2";
	await clock.advance(10_000);
	assert.deepEqual(events, ["lost", "back", "changed"]);
});

test("a wake shows by clocks that drifted apart or by a timer that came late, each by over ten seconds", async (t) => {
	for (const kind of ["frozen", "late"] as const) {
		const { clock, events } = watched(t);
		await clock.sleep(9_000, kind);
		await clock.advance(10_000);
		assert.deepEqual(events, [], kind);
		await clock.sleep(30_000, kind);
		await clock.advance(5_000);
		assert.deepEqual(events, ["woke"], kind);
	}
});

test("the network may be to blame while it is away and for a minute after it was disturbed", async (t) => {
	const { clock, machine, network } = watched(t);
	await clock.advance(5_000);
	assert.equal(await network.mayBeToBlame(), false);
	machine.address = undefined;
	assert.equal(await network.mayBeToBlame(), true, "asked before the next look");
	machine.address = "10.0.0.1";
	assert.equal(await network.mayBeToBlame(), true);
	await clock.advance(59_000);
	assert.equal(await network.mayBeToBlame(), true);
	await clock.advance(2_000);
	assert.equal(await network.mayBeToBlame(), false);
	await clock.sleep(3_600_000);
	assert.equal(await network.mayBeToBlame(), true, "asked right after a sleep");
});

test("while nobody listens it looks once a minute, and who listens then hears nothing of before", async (t) => {
	const { clock, machine, network, stop } = watched(t);
	await clock.advance(5_000);
	stop();
	await clock.advance(5_000);
	assert.deepEqual(clock.timers(), [60_000]);
	await clock.advance(50_000);
	await clock.sleep(3_600_000);
	const { events } = listening(network);
	assert.equal(await network.mayBeToBlame(), true, "it woke at some time since the last look");
	assert.deepEqual(events, []);
	machine.address = "10.0.0.2";
	await clock.advance(5_000);
	assert.deepEqual(events, ["changed"]);
});

test("the machine's own route is read without sending anything", async () => {
	const route = await currentRoute();
	assert.ok(route === undefined || /^[\d.:a-f% ]+$/.test(route), route);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { StartedAgent } from "../../agent/platform/start-agent.ts";
import { type ErrorCode, protocolError } from "../../agent/protocol/index.ts";
import { createReachPolicy, REACH_TIMING } from "./reach-policy.ts";

/** A policy on a clock of the test's own, and agents that end when the test says so. */
function setUp({ fails = false } = {}) {
	let now = 0;
	const agents: { end?: { code: number | null; signal: null } }[] = [];
	const policy = createReachPolicy(
		async () => {
			if (fails) throw new Error("the folder is gone");
			const agent: (typeof agents)[number] = {};
			agents.push(agent);
			return { ended: () => agent.end, before: { log: 0, out: 0 } } satisfies StartedAgent;
		},
		() => "the moon is wrong",
		REACH_TIMING,
		() => now,
	);
	let failures = 0;
	return {
		policy,
		agents,
		/** Has an attempt fail, and lets the time pass that the policy asks for. */
		async meet(code: ErrorCode): Promise<number> {
			failures++;
			const wait = await policy.decide(protocolError(code), failures);
			if (wait === undefined) throw new Error("The app never gives up.");
			now += wait;
			return wait;
		},
		pass(ms: number) {
			now += ms;
		},
		connected() {
			failures = 0;
			policy.connected();
		},
	};
}

test("a refused or missing socket leads to one agent, which is then looked for every 150 ms", async () => {
	const { meet, agents } = setUp();
	assert.equal(await meet("not_running"), 150);
	for (let look = 0; look < 50; look++) assert.equal(await meet("not_running"), 150);
	assert.equal(agents.length, 1);
});

test("an agent that doesn't answer, or can't be asked, is never doubled", async () => {
	const { meet, agents } = setUp();
	for (const code of ["no_answer", "no_permission", "cannot_connect", "protocol_mismatch"] as const)
		for (let attempt = 0; attempt < 20; attempt++) await meet(code);
	assert.equal(agents.length, 0);
});

test("after 20 s without an agent it says what the agent said, and starts one again after a pause", async () => {
	const { policy, meet, agents, pass } = setUp();
	await meet("not_running");
	pass(20_000);
	assert.equal(await meet("not_running"), 1_000);
	assert.match(policy.problem?.message ?? "", /could not be started; it says: the moon is wrong/);
	await meet("not_running");
	assert.equal(agents.length, 2);
});

test("one that ends with an error is not waited for; one that ends with 0 has met another", async () => {
	const { meet, agents } = setUp();
	await meet("not_running");
	agents[0]!.end = { code: 0, signal: null };
	assert.equal(await meet("not_running"), 150);
	agents[0]!.end = { code: 1, signal: null };
	assert.equal(await meet("not_running"), 1_000);
});

test("pauses between starts double from a second to a minute", async () => {
	const { meet } = setUp({ fails: true });
	const waits = [];
	for (let attempt = 0; attempt < 8; attempt++) waits.push(await meet("not_running"));
	assert.deepEqual(
		waits,
		[1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000),
	);
});

test("when the connection drops, an agent is started after a second, if none has come by then", async () => {
	const { policy, meet, agents, connected } = setUp();
	connected();
	assert.equal(await meet("connection_lost"), 150);
	assert.equal(await meet("not_running"), 850);
	assert.equal(agents.length, 0);
	await meet("not_running");
	assert.equal(agents.length, 1);
	connected();
	assert.equal(policy.problem, undefined);
});

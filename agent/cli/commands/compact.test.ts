import assert from "node:assert/strict";
import { test } from "node:test";
import { json, ONE } from "../testing/answers.ts";
import { makePlace } from "../testing/place.ts";
import { outlive, startOutlive } from "../testing/run-outlive.ts";
import { startTestAgent } from "../testing/test-agent.ts";
import { view } from "../testing/views.ts";

test("compact sends its instructions with a request id and says what came of it", async (context) => {
	const place = makePlace(context);
	const ends = [
		{ outcome: "compacted", entry: "12" },
		{ outcome: "nothing_to_compact", entry: null },
		{ outcome: "stale", entry: null },
		{ outcome: "compacted", entry: null },
	] as const;
	let asked = 0;
	const agent = await startTestAgent(context, place, {
		handlers: {
			...ONE,
			"session.watch": () => view(),
			"session.compact": () => ends[asked++ % ends.length]!,
		},
	});
	const first = await json(context, place, ["compact", "7", "the failing tests", "--request-id", "mine"]);
	assert.deepEqual(first.value, ends[0]);
	const words = [
		/^There is nothing to compact/,
		/^The summary was not used/,
		/^The summary is ready/,
		/^Compacted: /,
	];
	for (const expected of words) {
		const { code, stdout } = await outlive(context, place, ["compact", "7"]);
		assert.equal(code, 0);
		assert.match(stdout, expected);
	}
	const sent = agent.requests
		.filter(({ method }) => method === "session.compact")
		.map(({ params }) => params);
	assert.deepEqual(sent[0], { session: "7", instructions: "the failing tests", requestId: "mine" });
	assert.equal(new Set(sent.map(({ requestId }) => requestId)).size, 5);
	assert.equal((await outlive(context, place, ["compact", "7", " "])).code, 2);
});

for (const [waiting, said, canTry] of [
	[
		{ for: "limit", until: Date.now() + 60_000, error: "You've hit your limit" },
		/waiting for the plan's limit until .*: You've hit your limit/,
		true,
	],
	[{ for: "slot" }, /waiting for room to run one more model/, false],
] as const)
	test(`compact says what the summary waits for, a ${waiting.for}, and what ends the wait`, async (context) => {
		const place = makePlace(context);
		const compaction = { reason: "manual", blocking: false, waiting } as const;
		const told = Promise.withResolvers<void>();
		await startTestAgent(context, place, {
			handlers: {
				...ONE,
				"session.watch": () => view({ live: { tools: [], compaction } }),
				"session.compact": async () => {
					await told.promise;
					return { outcome: "compacted", entry: "12" };
				},
			},
		});
		const running = startOutlive(context, place, ["compact", "7"], { input: "" });
		running.child.stderr.on("data", () => {
			if (said.test(running.stderr())) told.resolve();
		});
		const { code, stdout, stderr } = await running.finished();
		assert.equal(code, 0);
		assert.match(stderr, said);
		assert.equal(/outlive try 7/.test(stderr), canTry);
		assert.match(stdout, /^Compacted: /);
	});

import assert from "node:assert/strict";
import { test } from "node:test";
import { json, ONE } from "../testing/answers.ts";
import { makePlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";
import { startTestAgent } from "../testing/test-agent.ts";
import { assistant, bash, result, user, view } from "../testing/views.ts";

test("show says what scripts rely on, with long texts whole", async (context) => {
	const place = makePlace(context);
	const long = "x".repeat(100);
	const entries = [
		user("1", "go", "s1"),
		assistant("2", "", { toolCalls: [bash("c1", "make")], stopReason: "toolUse" }),
		result("3", "c1", "cut off", { isError: true, interrupted: true }),
		assistant("4", "xxx", { cut: { shown: 3, total: 100 } }),
	];
	const now = view({
		entries,
		hasOlder: true,
		live: {
			partial: { text: "so far" },
			retry: { attempt: 1, max: 3, at: 5, error: "lost" },
			tools: [{ callId: "c2", name: "bash", status: "running", output: "one\n", runner: 77 }],
		},
		inbox: [{ submission: "s2", text: "then", mode: "followUp" }],
	});
	await startTestAgent(context, place, {
		handlers: {
			...ONE,
			"session.watch": () => now,
			"session.entries": ({ around, before }) => {
				if (before !== undefined) return { entries: [user("0", "before")], hasOlder: false, hasNewer: true };
				const found = entries.find(({ id }) => id === around)!;
				return { entries: [{ ...found, text: long, cut: undefined }], hasOlder: true, hasNewer: true };
			},
		},
	});
	const { value } = await json(context, place, ["show", "7"]);
	assert.deepEqual(value, {
		session: "7",
		entries: [
			{ id: "1", kind: "pi.user", role: "user", text: "go", at: 10 },
			{
				id: "2",
				kind: "pi.assistant",
				role: "assistant",
				text: "",
				toolCalls: [{ id: "c1", name: "bash", arguments: { command: "make" } }],
				stopReason: "toolUse",
				at: 11,
			},
			{
				id: "3",
				kind: "pi.tool-result",
				role: "toolResult",
				text: "cut off",
				toolName: "bash",
				isError: true,
				interrupted: true,
				at: 12,
			},
			{ id: "4", kind: "pi.assistant", role: "assistant", text: long, stopReason: "stop", at: 11 },
		],
		live: {
			partial: { text: "so far" },
			retry: { attempt: 1, max: 3, at: 5 },
			tools: [{ name: "bash", output: "one\n", runner: 77 }],
		},
		inbox: [{ submission: "s2", text: "then", mode: "followUp" }],
		usage: now.usage,
	});
	const all = await json(context, place, ["show", "7", "--all"]);
	assert.deepEqual(
		all.value.entries.map(({ id }: { id: string }) => id),
		["0", "1", "2", "3", "4"],
	);
	const plain = await outlive(context, place, ["show", "7"]);
	assert.match(
		plain.stdout,
		/^-- 7: First .*\n-- there is more before this: outlive show 7 --all\n\n?> go\n\$ make\n {2}cut off\n/,
	);
	assert.ok(plain.stdout.includes(long));
});

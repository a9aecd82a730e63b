import assert from "node:assert/strict";
import { test } from "node:test";
import { type ErrorCode, protocolError } from "../../protocol/index.ts";
import { json, ONE } from "../testing/answers.ts";
import { makePlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";
import { startTestAgent } from "../testing/test-agent.ts";
import { assistant, view } from "../testing/views.ts";

test("send says how to wait when busy, and refuses an empty text before anything is sent", async (context) => {
	const place = makePlace(context);
	const agent = await startTestAgent(context, place, {
		handlers: { ...ONE, "session.send": () => ({ submission: "s1", status: "queued" }) },
	});
	assert.deepEqual((await json(context, place, ["send", "7", "hi"])).value, { submission: "s1" });
	await outlive(context, place, ["send", "7", "hi", "--when-busy", "follow-up"]);
	await outlive(context, place, ["send", "7", "hi", "--when-busy", "reject"]);
	const sent = agent.requests.filter(({ method }) => method === "session.send").map(({ params }) => params);
	assert.deepEqual(
		sent.map(({ whenBusy }) => whenBusy),
		[undefined, "followUp", "reject"],
	);
	const count = agent.requests.length;
	for (const [text, input] of [
		[" ", ""],
		["-", "\n\n"],
	] as const) {
		const { code, value } = await json(context, place, ["send", "7", text], { input });
		assert.equal(code, 2);
		assert.equal(value.error.code, "wrong_usage");
	}
	assert.equal((await json(context, place, ["send", "7", "x", "--request-id", "a b"])).code, 2);
	assert.equal(agent.requests.length, count);
});

test("an error of the agent is one sentence, its code, and its exit code", async (context) => {
	const place = makePlace(context);
	let code: ErrorCode = "busy";
	await startTestAgent(context, place, {
		handlers: {
			...ONE,
			"session.send": () => {
				throw protocolError(code);
			},
		},
	});
	const expected = [
		["busy", 5],
		["model_unavailable", 5],
		["folder_not_allowed", 5],
		["storage_full", 5],
		["not_found", 4],
		["request_id_reused", 2],
		["internal", 1],
	] as const;
	for (const [name, exit] of expected) {
		code = name;
		const { code: ended, value, stderr } = await json(context, place, ["send", "7", "hi"]);
		assert.equal(ended, exit, name);
		assert.equal(value.error.code, name);
		assert.equal(stderr, `${value.error.message}\n`);
		const plain = await outlive(context, place, ["send", "7", "hi"]);
		assert.equal(plain.stdout, "");
		assert.equal(plain.stderr, stderr);
	}
});

test("--wait prints the answer; without one it ends with 1 and the reason", async (context) => {
	const place = makePlace(context);
	const ended = { submission: "s1", status: "unanswered", reason: "failed: no" } as const;
	let submissions: object[] = [{ submission: "s1", status: "done", entry: "1", answer: "2" }];
	await startTestAgent(context, place, {
		handlers: {
			...ONE,
			"sessions.create": () => ({ session: "7", submission: "s1" }),
			"session.send": () => ({ submission: "s1", status: "queued" }),
			"session.watch": () => view({ submissions: submissions as [] }),
			"session.entries": () => ({
				entries: [assistant("2", "the answer\nin full")],
				hasOlder: true,
				hasNewer: false,
			}),
		},
	});
	const sent = await json(context, place, ["send", "7", "hi", "--wait"]);
	assert.deepEqual(sent.value, { submission: "s1", status: "done", answer: "the answer\nin full" });
	const made = await json(context, place, ["new", ".", "hi", "--wait"]);
	assert.deepEqual(made.value, {
		session: "7",
		submission: "s1",
		status: "done",
		answer: "the answer\nin full",
	});
	const plain = await outlive(context, place, ["send", "7", "hi", "--wait"]);
	assert.deepEqual(plain, { code: 0, stdout: "the answer\nin full\n", stderr: "" });
	submissions = [ended];
	const none = await json(context, place, ["send", "7", "hi", "--wait"]);
	assert.equal(none.code, 1);
	assert.deepEqual(none.value, { submission: "s1", status: "unanswered", answer: "", reason: "failed: no" });
	assert.equal(none.stderr, "There is no answer (no); see: outlive show 7\n");
	const without = await json(context, place, ["new", ".", "--wait"]);
	assert.equal(without.code, 2);
});
